/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.test.instance;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The JVMs that wait for an instance to run: those that have run one before, and one that
 * is started ahead of need. They end with this JVM.
 */
final class ChildJvms {

	private static final int MOST_USED = 8;

	private static final Deque<ChildJvm> USED = new ArrayDeque<>();

	private static final Deque<ChildJvm> SPARE = new ArrayDeque<>();

	private static boolean launching;

	private ChildJvms() {
	}

	/**
	 * Takes a JVM.
	 * @param sabotage what an application will find turned off, so that one that has run
	 * another application must have had the same
	 */
	static ChildJvm take(List<Sabotage> sabotage) {
		ChildJvm child = poll(USED, sabotage);
		if (child == null) {
			child = poll(SPARE, List.of());
			launchSpare();
		}
		return (child != null) ? child : ChildJvm.launch(true);
	}

	private static @Nullable ChildJvm poll(Deque<ChildJvm> idle, List<Sabotage> sabotage) {
		synchronized (USED) {
			for (ChildJvm child : List.copyOf(idle)) {
				if (child.sabotage().equals(sabotage) || !child.isReusable()) {
					idle.remove(child);
					if (child.isReusable()) {
						return child;
					}
					child.remove();
				}
			}
			return null;
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
		ChildJvm superfluous = child;
		synchronized (USED) {
			if (child.isReusable()) {
				USED.push(child);
				superfluous = (USED.size() > MOST_USED) ? USED.removeLast() : null;
			}
		}
		if (superfluous != null) {
			superfluous.remove();
		}
	}

}
