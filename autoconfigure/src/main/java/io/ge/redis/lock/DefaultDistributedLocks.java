/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.EventLoops;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.lock.Acquisition.Acquired;
import io.ge.redis.lock.Acquisition.Refused;
import io.ge.redis.lock.Entering.CallChain;
import io.ge.redis.lock.LockAcquireEvent.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The synchronous flavour waits for the engine, binds locks to the thread while work runs
 * under them, and tells of attempts on the thread of the caller. The asynchronous one
 * goes on on a thread of the application when the engine has answered.
 */
final class DefaultDistributedLocks extends LockEntrance {

	private final Locks locks;

	private final LockEngine engine;

	private final GuardEvents events;

	private final GuardedCalls calls;

	DefaultDistributedLocks(Locks locks, LockEngine engine, GuardEvents events, GuardedCalls calls) {
		this.locks = locks;
		this.engine = engine;
		this.events = events;
		this.calls = calls;
	}

	@Override
	public Optional<LockHandle> tryLock(String name, Object key, LockOptions options) {
		forbidWaiting("tryLock");
		LockSettings settings = this.locks.get(name, options);
		Acquisition acquisition = acquire(settings, this.engine.key(name, parts(name, key)));
		return (acquisition instanceof Acquired acquired) ? Optional.of(acquired.lock()) : Optional.empty();
	}

	@Override
	public LockHandle lock(String name, Object key, LockOptions options) {
		forbidWaiting("lock");
		LockSettings settings = this.locks.get(name, options);
		return orThrow(settings, acquire(settings, this.engine.key(name, parts(name, key))));
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(String name, Object key, LockOptions options,
			LockedWork<T, E> work) throws E {
		forbidWaiting("execute");
		LockSettings settings = this.locks.get(name, options);
		return run(enter(settings, parts(name, key)), work);
	}

	@Override
	public MultiLockHandle lockAll(String name, Collection<?> keys, LockOptions options) {
		forbidWaiting("lockAll");
		return (MultiLockHandle) acquireAll(this.locks.get(name, options), allParts(name, keys), CallChain.NONE).lock();
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T executeAll(String name, Collection<?> keys,
			LockOptions options, LockedWork<T, E> work) throws E {
		forbidWaiting("executeAll");
		return run(enterAll(this.locks.get(name, options), allParts(name, keys)), work);
	}

	@Override
	public CompletionStage<Optional<LockHandle>> tryLockAsync(String name, Object key, LockOptions options) {
		return acquireAsync(this.locks.get(name, options), List.of(parts(name, key)), false, (acquired) -> {
			try {
				return Optional.of(acquired.get().lock());
			}
			catch (LockNotAcquiredException ex) {
				return Optional.empty();
			}
		});
	}

	@Override
	public CompletionStage<LockHandle> lockAsync(String name, Object key, LockOptions options) {
		return acquireAsync(this.locks.get(name, options), List.of(parts(name, key)), false,
				(acquired) -> acquired.get().lock());
	}

	@Override
	public <T extends @Nullable Object> CompletionStage<T> executeAsync(String name, Object key, LockOptions options,
			LockedWork<? extends CompletionStage<T>, ?> work) {
		return runAsync(new LockedCode(this.locks.get(name, options), List.of(parts(name, key)), false, work));
	}

	@Override
	public CompletionStage<MultiLockHandle> lockAllAsync(String name, Collection<?> keys, LockOptions options) {
		return acquireAsync(this.locks.get(name, options), allParts(name, keys), true,
				(acquired) -> (MultiLockHandle) acquired.get().lock());
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

	/**
	 * Enters a lock, anew or nested.
	 * @throws LockNotAcquiredException if it was not acquired
	 */
	private Entry enter(LockSettings settings, List<String> parts) {
		RedisLockKey key = this.engine.key(settings.name(), parts);
		List<HeldLock> shared = new ArrayList<>(0);
		HeldLock outer = LockContext.enterAgain(this.engine, key, shared::add);
		if (outer != null) {
			enterAgain(settings, outer, shared);
			return new Entry(outer, List.of(), shared);
		}
		HeldLock lock = orThrow(settings, acquire(settings, key));
		return new Entry(lock, List.of(lock), List.of());
	}

	private Entry enterAll(LockSettings settings, List<List<String>> keys) {
		return acquireAll(settings, keys, (key, shared) -> LockContext.enterAgain(this.engine, key, shared));
	}

	private static void enterAgain(LockSettings settings, HeldLock outer, List<HeldLock> shared) {
		try {
			outer.enterAgain(settings);
		}
		catch (LockLostException | IllegalStateException ex) {
			shared.forEach(HeldLock::leave);
			throw ex;
		}
	}

	@Override
	Entry enterOrProceed(LockSettings settings, List<List<String>> keys, boolean together) {
		try {
			return together ? enterAll(settings, keys) : enter(settings, keys.get(0));
		}
		catch (RedisUnavailableException ex) {
			if (settings.onOutage() == OutagePolicy.DENY) {
				throw ex;
			}
			return Entry.none(settings.name());
		}
	}

	/**
	 * Runs work inside a lock.
	 */
	static <T extends @Nullable Object, E extends Throwable> T run(Entry entry, LockedWork<T, E> work) throws E {
		List<HeldLock> own = entry.own();
		List<LockContext.Frame> frames = new ArrayList<>(own.size());
		for (HeldLock lock : own) {
			frames.add(LockContext.enter(lock));
			lock.beginWork();
		}
		// The handle that the work sees is the innermost
		LockContext.Frame seen = (own.size() == 1 && own.get(0) == entry.lock()) ? null
				: LockContext.enter(entry.lock());
		try {
			return work.run(entry.lock());
		}
		finally {
			if (seen != null) {
				LockContext.exit(seen, false);
			}
			own.forEach(HeldLock::endWork);
			entry.shared().forEach(HeldLock::leave);
			if (!own.isEmpty()) {
				entry.lock().close();
			}
			for (int i = frames.size() - 1; i >= 0; i--) {
				LockContext.exit(frames.get(i), !own.get(i).isClosed());
			}
		}
	}

	private static HeldLock orThrow(LockSettings settings, Acquisition acquisition) {
		if (acquisition instanceof Refused refused) {
			throw new LockNotAcquiredException(settings.name(), refused.retryAfter());
		}
		return ((Acquired) acquisition).lock();
	}

	/**
	 * Takes the locks of several keys, or none if one is refused.
	 * @throws LockNotAcquiredException if one was not acquired
	 */
	private Entry acquireAll(LockSettings settings, List<List<String>> keys, CallChain chain) {
		Entering entering = enter(settings, keys, true, chain);
		Entered entered;
		try {
			entered = await(settings, entering);
		}
		catch (LockInterruptedException ex) {
			Waiting.await(entering.givenBack());
			throw ex;
		}
		Entry entry = entered.take();
		entry.own().forEach(HeldLock::bindToTransaction);
		return entry;
	}

	/**
	 * Takes locks that are not bound to a thread. The transaction in which they are asked
	 * for keeps them, unless it has completed by then.
	 * @param handle makes the result of what was acquired
	 */
	private <T> CompletionStage<T> acquireAsync(LockSettings settings, List<List<String>> keys, boolean together,
			Function<Supplier<Entry>, T> handle) {
		KeptLocks transaction = LockTransactions.kept();
		return this.calls.handOver(enter(settings, keys, together, CallChain.NONE), (entered) -> handle.apply(() -> {
			Entry entry = entered.take();
			if (transaction != null) {
				transaction.keep(entry);
			}
			return entry;
		}), Entered::giveBack);
	}

	@Override
	Entering enter(LockSettings settings, List<List<String>> keys, boolean together, CallChain chain) {
		return new Entering(this.engine, this.events, settings, keys, together).begin(chain);
	}

	@Override
	boolean isOf(HeldLock lock, RedisLockKey key) {
		return lock.isOf(this.engine, key);
	}

	private Acquisition acquire(LockSettings settings, RedisLockKey key) {
		long started = System.nanoTime();
		Outcome outcome = Outcome.ERROR;
		try {
			Acquisition acquisition = attempt(settings, key);
			outcome = (acquisition instanceof Acquired) ? Outcome.ACQUIRED : Outcome.NOT_ACQUIRED;
			return acquisition;
		}
		catch (LockInterruptedException ex) {
			outcome = Outcome.NOT_ACQUIRED;
			throw ex;
		}
		catch (RedisUnavailableException ex) {
			throw ex.ofCaller(settings.displayName());
		}
		finally {
			tell(settings, outcome, started);
		}
	}

	private Acquisition attempt(LockSettings settings, RedisLockKey key) {
		CompletableFuture<Acquisition> attempt = this.engine.acquire(settings, key);
		Acquisition acquisition = await(settings, attempt);
		if (acquisition instanceof Acquired acquired) {
			acquired.lock().bindToTransaction();
		}
		return acquisition;
	}

	private void tell(LockSettings settings, Outcome outcome, long started) {
		this.events
			.publish(new LockAcquireEvent(settings.name(), outcome, Duration.ofNanos(System.nanoTime() - started)));
	}

	// A cancelled attempt that is granted all the same is released by the engine
	private static <T> T await(LockSettings settings, CompletableFuture<T> attempt) {
		return settings.waitTime().isZero() ? Waiting.await(attempt) : Waiting.awaitInterruptibly(attempt,
				(interrupt) -> new LockInterruptedException(settings.name(), interrupt));
	}

}
