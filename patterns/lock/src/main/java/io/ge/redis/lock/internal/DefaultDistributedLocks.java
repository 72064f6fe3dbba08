// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.EventLoops;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.lock.MultiLockHandle;
import org.jspecify.annotations.Nullable;

/**
 * The locks by code. A synchronous method waits on its thread for the asynchronous one,
 * which continues on a thread of the application when the engine has answered.
 */
final class DefaultDistributedLocks implements DistributedLocks, LockedCall.Locks {

	private final LockRegistry locks;

	private final LockEngine engine;

	private final GuardEvents events;

	private final GuardedCalls calls;

	DefaultDistributedLocks(LockRegistry locks, LockEngine engine, GuardEvents events, GuardedCalls calls) {
		this.locks = locks;
		this.engine = engine;
		this.events = events;
		this.calls = calls;
	}

	@Override
	public Optional<LockHandle> tryLock(String name, Object key, LockOptions options) {
		forbidWaiting("tryLock");
		return ifAcquired(acquire(this.locks.get(name, options), List.of(parts(name, key)), false));
	}

	@Override
	public LockHandle lock(String name, Object key, LockOptions options) {
		forbidWaiting("lock");
		return acquire(this.locks.get(name, options), List.of(parts(name, key)), false).take().lock();
	}

	@Override
	public MultiLockHandle lockAll(String name, Collection<?> keys, LockOptions options) {
		forbidWaiting("lockAll");
		return (MultiLockHandle) acquire(this.locks.get(name, options), allParts(name, keys), true).take().lock();
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(String name, Object key, LockOptions options,
			LockedWork<T, E> work) throws E {
		forbidWaiting("execute");
		return run(new LockedCode(this.locks.get(name, options), List.of(parts(name, key)), false, work));
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T executeAll(String name, Collection<?> keys,
			LockOptions options, LockedWork<T, E> work) throws E {
		forbidWaiting("executeAll");
		return run(new LockedCode(this.locks.get(name, options), allParts(name, keys), true, work));
	}

	@Override
	public CompletionStage<Optional<LockHandle>> tryLockAsync(String name, Object key, LockOptions options) {
		return acquireAsync(this.locks.get(name, options), List.of(parts(name, key)), false,
				DefaultDistributedLocks::ifAcquired);
	}

	@Override
	public CompletionStage<LockHandle> lockAsync(String name, Object key, LockOptions options) {
		return acquireAsync(this.locks.get(name, options), List.of(parts(name, key)), false,
				(decision) -> decision.take().lock());
	}

	@Override
	public <T extends @Nullable Object> CompletionStage<T> executeAsync(String name, Object key, LockOptions options,
			LockedWork<? extends CompletionStage<T>, ?> work) {
		return runAsync(new LockedCode(this.locks.get(name, options), List.of(parts(name, key)), false, work));
	}

	@Override
	public CompletionStage<MultiLockHandle> lockAllAsync(String name, Collection<?> keys, LockOptions options) {
		return acquireAsync(this.locks.get(name, options), allParts(name, keys), true,
				(decision) -> (MultiLockHandle) decision.take().lock());
	}

	@Override
	public <T extends @Nullable Object> CompletionStage<T> executeAllAsync(String name, Collection<?> keys,
			LockOptions options, LockedWork<? extends CompletionStage<T>, ?> work) {
		return runAsync(new LockedCode(this.locks.get(name, options), allParts(name, keys), true, work));
	}

	@SuppressWarnings("unchecked")
	private <T extends @Nullable Object> CompletionStage<T> runAsync(LockedCode code) {
		return (CompletionStage<T>) this.calls.make(ResultForm.FUTURE, () -> new LockedCall(this, code));
	}

	private static void forbidWaiting(String method) {
		EventLoops.forbidWaiting("DistributedLocks." + method, method + "Async");
	}

	private static List<String> parts(String name, Object key) {
		return KeyText.of(key, "The key of the lock '" + name + "'");
	}

	private static List<List<String>> allParts(String name, Collection<?> keys) {
		return KeyText.several(keys, "The keys of the lock '" + name + "'");
	}

	private static Optional<LockHandle> ifAcquired(LockAttemptResult decision) {
		HeldLocks locks = decision.takeIfAcquired();
		return (locks != null) ? Optional.of(locks.lock()) : Optional.empty();
	}

	@SuppressWarnings({ "unchecked", "NullAway" }) // the work throws no other exceptions
	private <T extends @Nullable Object, E extends Throwable> T run(LockedCode code) throws E {
		try {
			return (T) GuardedCalls.run(new LockedCall(this, code));
		}
		catch (Throwable ex) {
			throw (E) ex;
		}
	}

	/**
	 * Takes locks that are not bound to a thread. The transaction in which they are asked
	 * for keeps them.
	 */
	private LockAttemptResult acquire(LockSettings settings, List<List<String>> keys, boolean together) {
		TransactionLocks transaction = TransactionLocks.ofThread();
		return enter(settings, keys, together, List.of()).await().keptBy(transaction);
	}

	/**
	 * Takes locks without waiting. The transaction in which they are asked for keeps
	 * them, unless it has completed by then.
	 */
	private <T> CompletionStage<T> acquireAsync(LockSettings settings, List<List<String>> keys, boolean together,
			Function<LockAttemptResult, T> handle) {
		TransactionLocks transaction = TransactionLocks.ofThread();
		return this.calls.handOver(enter(settings, keys, together, List.of()),
				(decision) -> handle.apply(decision.keptBy(transaction)), LockAttemptResult::releaseUnused);
	}

	@Override
	public LockAttempt enter(LockSettings settings, List<List<String>> keys, boolean together, List<LockHandle> chain) {
		return new LockAttempt(this.engine, this.events, settings, keys, together).begin(chain);
	}

	/**
	 * Work under a lock that is written as code.
	 */
	private record LockedCode(LockSettings settings, List<List<String>> keys, boolean isTogether,
			LockedWork<?, ?> work) implements LockedCall.Task {

		@Override
		public boolean isDoneWithoutLock() {
			return false;
		}

		@Override
		public @Nullable Object start(LockHandle lock) throws Throwable {
			return this.work.run(lock);
		}

	}

}
