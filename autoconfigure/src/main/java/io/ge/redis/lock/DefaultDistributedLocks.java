/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.lock.Acquisition.Acquired;
import io.ge.redis.lock.Acquisition.Refused;
import io.ge.redis.lock.LockAcquireEvent.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The synchronous flavour: waits for the engine, binds locks to the thread while work
 * runs under them, and tells of attempts on the thread of the caller.
 */
final class DefaultDistributedLocks implements DistributedLocks {

	private final Locks locks;

	private final LockEngine engine;

	private final GuardEvents events;

	DefaultDistributedLocks(Locks locks, LockEngine engine, GuardEvents events) {
		this.locks = locks;
		this.engine = engine;
		this.events = events;
	}

	@Override
	public Optional<LockHandle> tryLock(String name, Object key, LockOptions options) {
		LockSettings settings = this.locks.get(name, options);
		Acquisition acquisition = acquire(settings, this.engine.key(name, parts(name, key)));
		return (acquisition instanceof Acquired acquired) ? Optional.of(acquired.lock()) : Optional.empty();
	}

	@Override
	public LockHandle lock(String name, Object key, LockOptions options) {
		LockSettings settings = this.locks.get(name, options);
		return orThrow(settings, acquire(settings, this.engine.key(name, parts(name, key))));
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(String name, Object key, LockOptions options,
			LockedWork<T, E> work) throws E {
		LockSettings settings = this.locks.get(name, options);
		return run(enter(settings, parts(name, key)), work);
	}

	private static List<String> parts(String name, Object key) {
		return KeyText.of(key, "The key of the lock '" + name + "'");
	}

	/**
	 * Enters a lock, anew or nested.
	 * @throws LockNotAcquiredException if it was not acquired
	 */
	Entry enter(LockSettings settings, List<String> parts) {
		RedisLockKey key = this.engine.key(settings.name(), parts);
		HeldLock outer = LockContext.find(this.engine, key);
		if (outer != null) {
			outer.assertHeld();
			return new Entry(outer, true);
		}
		return new Entry(orThrow(settings, acquire(settings, key)), false);
	}

	/**
	 * Enters a lock of an annotated method: while Redis is away the policy applies.
	 */
	Entry enterOrProceed(LockSettings settings, List<String> parts) {
		if (settings.onOutage() == OutagePolicy.DENY) {
			return enter(settings, parts);
		}
		try {
			return enter(settings, parts);
		}
		catch (RedisUnavailableException ex) {
			return new Entry(new NoLock(settings.name()), false);
		}
	}

	/**
	 * Runs work inside a lock.
	 */
	static <T extends @Nullable Object, E extends Throwable> T run(Entry entry, LockedWork<T, E> work) throws E {
		LockContext.Frame frame = LockContext.enter(entry.lock());
		HeldLock held = (!entry.nested() && entry.lock() instanceof HeldLock lock) ? lock : null;
		if (held != null) {
			held.beginWork();
		}
		try {
			return work.run(entry.lock());
		}
		finally {
			if (held != null) {
				held.endWork();
			}
			boolean kept = false;
			if (!entry.nested()) {
				entry.lock().close();
				kept = entry.lock() instanceof HeldLock lock && !lock.isReleased();
			}
			LockContext.exit(frame, kept);
		}
	}

	private static HeldLock orThrow(LockSettings settings, Acquisition acquisition) {
		if (acquisition instanceof Refused refused) {
			throw new LockNotAcquiredException(settings.name(), refused.retryAfter());
		}
		return ((Acquired) acquisition).lock();
	}

	private Acquisition acquire(LockSettings settings, RedisLockKey key) {
		long started = System.nanoTime();
		Outcome outcome = Outcome.ERROR;
		try {
			CompletableFuture<Acquisition> attempt = this.engine.acquire(settings, key);
			Acquisition acquisition = settings.waitTime().isZero() ? Waiting.await(attempt)
					: awaitInterruptibly(settings, attempt);
			outcome = Outcome.NOT_ACQUIRED;
			if (acquisition instanceof Acquired acquired) {
				acquired.lock().bindToTransaction();
				outcome = Outcome.ACQUIRED;
			}
			return acquisition;
		}
		catch (LockInterruptedException ex) {
			outcome = Outcome.NOT_ACQUIRED;
			throw ex;
		}
		finally {
			this.events
				.publish(new LockAcquireEvent(settings.name(), outcome, Duration.ofNanos(System.nanoTime() - started)));
		}
	}

	/**
	 * A cancelled attempt that is granted all the same is released by the engine. One
	 * that was complete before it could be cancelled is the caller's, who would else keep
	 * a lock it knows nothing of.
	 */
	static Acquisition awaitInterruptibly(LockSettings settings, CompletableFuture<Acquisition> attempt) {
		try {
			return attempt.get();
		}
		catch (InterruptedException ex) {
			boolean cancelled = attempt.cancel(false);
			Thread.currentThread().interrupt();
			if (cancelled) {
				throw new LockInterruptedException(settings.name(), ex);
			}
			return Waiting.await(attempt);
		}
		catch (ExecutionException ex) {
			return Waiting.await(attempt); // throws the cause
		}
	}

	/**
	 * A lock that work may run under.
	 *
	 * @param lock the lock
	 * @param nested whether an outer call holds it, and releases it
	 */
	record Entry(LockHandle lock, boolean nested) {
	}

}
