/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.test.instance;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The JVMs that wait for an instance to run: those that have run one before, and one that
 * is started ahead of need. They end with this JVM.
 */
final class ChildJvms {

	private static final int MOST_USED = 4;

	private static final Deque<ChildJvm> USED = new ArrayDeque<>();

	private static final Deque<ChildJvm> SPARE = new ArrayDeque<>();

	private static boolean launching;

	private ChildJvms() {
	}

	/**
	 * Takes a JVM.
	 * @param unused whether it must not have run an application before
	 */
	static ChildJvm take(boolean unused) {
		ChildJvm child = unused ? null : poll(USED);
		if (child == null) {
			child = poll(SPARE);
			launchSpare();
		}
		return (child != null) ? child : ChildJvm.launch(true);
	}

	private static ChildJvm poll(Deque<ChildJvm> idle) {
		synchronized (USED) {
			ChildJvm child = idle.poll();
			while (child != null && !child.isReusable()) {
				child.remove();
				child = idle.poll();
			}
			return child;
		}
	}

	private static void launchSpare() {
		synchronized (USED) {
			if (launching || !SPARE.isEmpty()) {
				return;
			}
			launching = true;
		}
		Thread thread = new Thread(() -> {
			ChildJvm spare = null;
			try {
				spare = ChildJvm.launch(true);
			}
			catch (RuntimeException ex) {
				// Whoever needs one finds out
			}
			synchronized (USED) {
				launching = false;
				if (spare != null) {
					SPARE.add(spare);
				}
			}
		}, "launch-spare-jvm");
		thread.setDaemon(true);
		thread.start();
	}

	static void giveBack(ChildJvm child) {
		synchronized (USED) {
			if (child.isReusable() && USED.size() < MOST_USED) {
				USED.push(child);
				return;
			}
		}
		child.remove();
	}

}
