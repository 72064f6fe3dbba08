// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import org.jspecify.annotations.Nullable;

/**
 * Asserts that code runs under its lock. It does not if the annotation was removed, or if
 * its method was called without passing through the bean.
 */
public final class LockAssert {

	private static final ThreadLocal<@Nullable Passing> PASSING = new ThreadLocal<>();

	private LockAssert() {
	}

	/**
	 * Checks that this call chain holds a lock of a name. Costs no command.
	 * @param name the name of the lock
	 * @throws IllegalStateException if it does not run under such a lock
	 * @throws LockLostException if it does, and the lock is lost
	 */
	public static void assertHeld(String name) {
		if (PASSING.get() != null) {
			return;
		}
		LockHandle handle = null;
		for (LockHandle each : BoundLocks.inside()) {
			handle = each.name().equals(name) ? each : handle;
		}
		if (handle == null) {
			throw new IllegalStateException("This thread does not run under the lock '" + name
					+ "'. Is the method called on the bean, and not on this?");
		}
		handle.assertHeld();
	}

	/**
	 * Lets all assertions of this thread pass, for unit tests of what runs under a lock.
	 * @return to be closed, so that assertions mean something again
	 */
	public static Passing passing() {
		Passing before = PASSING.get();
		Passing passing = () -> PASSING.set(before);
		PASSING.set(passing);
		return passing;
	}

	/**
	 * While assertions pass.
	 */
	@FunctionalInterface
	public interface Passing extends AutoCloseable {

		@Override
		void close();

	}

}
