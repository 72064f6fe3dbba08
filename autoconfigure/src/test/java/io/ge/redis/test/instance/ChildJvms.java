// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.instance;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The JVMs that have run an instance and may run another one. They end with this JVM.
 */
final class ChildJvms {

	private static final int MOST_USED = 8;

	private static final Deque<ChildJvm> USED = new ArrayDeque<>();

	private ChildJvms() {
	}

	/**
	 * Takes a JVM.
	 * @param scripts how its scripts will be changed, so that one that has run another
	 * application must have had the same
	 */
	static ChildJvm take(List<Sabotage.Script> scripts) {
		ChildJvm child = poll(scripts);
		return (child != null) ? child : ChildJvm.launch();
	}

	private static @Nullable ChildJvm poll(List<Sabotage.Script> scripts) {
		synchronized (USED) {
			for (ChildJvm child : List.copyOf(USED)) {
				if (child.scripts().equals(scripts) || !child.isReusable()) {
					USED.remove(child);
					if (child.isReusable()) {
						return child;
					}
					child.remove();
				}
			}
			return null;
		}
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
