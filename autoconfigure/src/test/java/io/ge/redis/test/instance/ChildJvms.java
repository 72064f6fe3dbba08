/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.test.instance;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The JVMs that wait for another instance to run. They end with this JVM.
 */
final class ChildJvms {

	private static final int MOST = 4;

	private static final Deque<ChildJvm> IDLE = new ArrayDeque<>();

	private ChildJvms() {
	}

	static ChildJvm take(List<Sabotage.Script> scripts) {
		if (scripts.isEmpty()) {
			synchronized (IDLE) {
				while (!IDLE.isEmpty()) {
					ChildJvm child = IDLE.pop();
					if (child.isReusable()) {
						return child;
					}
					child.remove();
				}
			}
		}
		return ChildJvm.launch(scripts);
	}

	static void giveBack(ChildJvm child) {
		synchronized (IDLE) {
			if (child.isReusable() && IDLE.size() < MOST) {
				IDLE.push(child);
				return;
			}
		}
		child.remove();
	}

}
