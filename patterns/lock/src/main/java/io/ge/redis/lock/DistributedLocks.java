// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * Locks in code, for what an annotation cannot express.
 * <p>
 * Keys are text, a number, or a list of those. Name and key are the lock: the same ones
 * in an annotation are the same lock. Costs are the same as with {@link DistributedLock}.
 * While Redis is unavailable, every method throws
 * {@link io.ge.redis.RedisUnavailableException}, after at most {@code
 * ge.redis.outage.command-timeout}. Every method that may wait has a variant whose name
 * ends with {@code Async}, which does not block; what the others throw its stage fails
 * with. Exception: in a transaction of the calling thread, {@link #executeAsync} and
 * {@link #executeAllAsync} block for up to the wait time.
 * <p>
 * No variant knows a subscriber: inside a reactive transaction its lock is released
 * <em>before</em> the commit, and the next holder may read the old data. Use
 * {@link DistributedLock} on a method that returns a publisher there.
 */
public interface DistributedLocks {

	/**
	 * Takes a lock if it is free, or becomes free within the wait time. An interrupt
	 * while waiting ends the wait with {@link LockInterruptedException}.
	 * <p>
	 * The handle is not bound to the thread: entering again needs the handle to be passed
	 * on. {@link #execute} binds.
	 * @param name the name of the lock
	 * @param key the key of the lock
	 * @param options wait time and lease
	 * @return the handle, to be closed; empty if the lock was not acquired
	 */
	Optional<LockHandle> tryLock(String name, Object key, LockOptions options);

	/**
	 * Takes a lock with the settings that the properties or an annotation have for the
	 * name, as {@link #tryLock(String, Object, LockOptions)}.
	 */
	default Optional<LockHandle> tryLock(String name, Object key) {
		return tryLock(name, key, LockOptions.defaults());
	}

	/**
	 * Takes a lock without blocking, as {@link #tryLock(String, Object, LockOptions)}.
	 * Inside a transaction of this thread it is kept until that has completed. Its handle
	 * is to be closed by {@link LockHandle#closeAsync()}; cancelling the stage before
	 * gives up the lock.
	 */
	CompletionStage<Optional<LockHandle>> tryLockAsync(String name, Object key, LockOptions options);

	/**
	 * Takes a lock without blocking, as {@link #tryLock(String, Object)}.
	 */
	default CompletionStage<Optional<LockHandle>> tryLockAsync(String name, Object key) {
		return tryLockAsync(name, key, LockOptions.defaults());
	}

	/**
	 * Takes a lock or throws.
	 * @param name the name of the lock
	 * @param key the key of the lock
	 * @param options wait time and lease
	 * @return the handle, to be closed
	 * @throws LockNotAcquiredException if the lock was not acquired
	 */
	LockHandle lock(String name, Object key, LockOptions options);

	/**
	 * Takes a lock without blocking, or fails, as {@link #lock}.
	 */
	CompletionStage<LockHandle> lockAsync(String name, Object key, LockOptions options);

	/**
	 * Runs work under a lock, as {@link DistributedLock} would: nested entries cost
	 * nothing, {@link LockContext#current()} gives the handle, and inside a transaction
	 * the lock is kept until that has completed.
	 * @param name the name of the lock
	 * @param key the key of the lock
	 * @param options wait time and lease
	 * @param work what to do while the lock is held
	 * @param <T> the type of the result
	 * @param <E> the type of its exception
	 * @return what the work returned
	 * @throws E what the work threw
	 * @throws LockNotAcquiredException if the lock was not acquired; the work has not run
	 */
	<T extends @Nullable Object, E extends Throwable> T execute(String name, Object key, LockOptions options,
			LockedWork<T, E> work) throws E;

	/**
	 * Runs work under a lock, as {@link DistributedLock} does for a method that returns a
	 * future. The lock is released when the stage of the work is complete, before the
	 * returned stage completes. Inside a transaction of this thread the call waits for
	 * the lock on the thread, so that the work begins inside. The lock is then kept until
	 * that transaction has completed. Elsewhere no thread is blocked. Cancelling the
	 * stage cancels the work.
	 */
	<T extends @Nullable Object> CompletionStage<T> executeAsync(String name, Object key, LockOptions options,
			LockedWork<? extends CompletionStage<T>, ?> work);

	/**
	 * Takes the locks of several keys, or of none if one of them is not acquired within
	 * the wait time. They are taken one after the other, in an order that is the same for
	 * all callers and instances, which excludes deadlocks. A duplicate key is locked
	 * once. Each is the lock of its key, as in
	 * {@link #tryLock(String, Object, LockOptions)}.
	 * <p>
	 * Cost: for n keys n script calls and n round trips to take them, n script calls sent
	 * at once to give them up.
	 * @param name the name of the locks
	 * @param keys the keys of the locks, not empty
	 * @param options wait time, one budget for all, and lease
	 * @return the handle of all, to be closed
	 * @throws LockNotAcquiredException if one was not acquired; none is held then
	 */
	MultiLockHandle lockAll(String name, Collection<?> keys, LockOptions options);

	/**
	 * Takes the locks of several keys without blocking, or of none, as {@link #lockAll}.
	 */
	CompletionStage<MultiLockHandle> lockAllAsync(String name, Collection<?> keys, LockOptions options);

	/**
	 * Runs work under the locks of several keys, as {@link #execute} and
	 * {@link #lockAll}; those that the call chain holds already are entered without a
	 * command. The work may cast its handle to {@link MultiLockHandle}.
	 * @param name the name of the locks
	 * @param keys the keys of the locks, not empty
	 * @param options wait time, one budget for all, and lease
	 * @param work what to do while the locks are held
	 * @param <T> the type of the result
	 * @param <E> the type of its exception
	 * @return what the work returned
	 * @throws E what the work threw
	 * @throws LockNotAcquiredException if one was not acquired; the work has not run
	 */
	<T extends @Nullable Object, E extends Throwable> T executeAll(String name, Collection<?> keys, LockOptions options,
			LockedWork<T, E> work) throws E;

	/**
	 * Runs work under the locks of several keys, as {@link #executeAsync} and
	 * {@link #executeAll}.
	 */
	<T extends @Nullable Object> CompletionStage<T> executeAllAsync(String name, Collection<?> keys,
			LockOptions options, LockedWork<? extends CompletionStage<T>, ?> work);

	/**
	 * Returns locks that need no Redis, as they are injected where locks are switched
	 * off, and for unit tests. Each is granted at once, also one that is held: they
	 * exclude no caller, not even in this process. Their tokens rise. {@link LockContext}
	 * and {@link LockAssert} work as usual inside {@link #execute}. Cancelling a stage
	 * does not cancel its work.
	 * @return the locks
	 */
	static DistributedLocks unguarded() {
		return UnguardedDistributedLocks.create();
	}

	/**
	 * Work that is done while a lock is held.
	 *
	 * @param <T> the type of the result
	 * @param <E> the type of its exception
	 */
	@FunctionalInterface
	interface LockedWork<T extends @Nullable Object, E extends Throwable> {

		/**
		 * Does the work.
		 * @param lock the lock
		 * @return the result
		 * @throws E the failure
		 */
		T run(LockHandle lock) throws E;

	}

}
