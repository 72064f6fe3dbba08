// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

/**
 * Reactions to the loss of a lock while its holder is at work. The holder learns of it in
 * any case, by {@link LockLostEvent} and {@link LockHandle#isValid()}.
 */
public enum OnLost {

	/**
	 * Nothing else.
	 */
	EVENT,

	/**
	 * A transaction of the same thread, or of the same subscriber, that would commit
	 * afterwards fails with {@link LockLostException} and is rolled back: one that was
	 * begun under the lock, or in which the lock was taken. Between this check and the
	 * commit the lock can still be lost; against that helps only the
	 * {@linkplain FencingToken fencing token}. Exception: a reactive transaction that
	 * begins after the work has changed its thread. It is seen only if Reactor propagates
	 * the context automatically and {@code ge.redis.lock.propagate-context} is set.
	 */
	VETO_COMMIT,

	/**
	 * Vetoes the commit like {@link #VETO_COMMIT}, and interrupts the thread that works
	 * under the lock. Drivers and channels may answer an interrupt by closing
	 * connections. The interrupt does not outlive the work, and neither does one that
	 * comes from elsewhere meanwhile. A lock that was taken as a handle has no such
	 * thread. Work whose result comes later is cancelled instead, its subscription or the
	 * future of the method, and its caller gets {@link LockLostException}.
	 */
	INTERRUPT

}
