// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.lock.LockAcquireEvent;
import io.ge.redis.lock.LockAcquireEvent.Outcome;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockInterruptedException;
import io.ge.redis.lock.internal.LockDecision.Acquired;
import io.ge.redis.lock.internal.LockDecision.Refused;
import org.jspecify.annotations.Nullable;

/**
 * The attempt to enter the locks of one call, without blocking. Locks that its call chain
 * holds are entered again. The others are taken one after the other, in an order that is
 * the same everywhere, which excludes deadlocks. If one is refused, none is held.
 * Cancelling the attempt releases its locks.
 * <p>
 * Its steps follow each other, on the thread of the caller and on those of the engine. A
 * step that finds the attempt cancelled releases the locks of the steps before.
 */
final class LockAttempt extends CompletableFuture<LockAttemptResult> {

	private final LockEngine engine;

	private final GuardEvents events;

	private final LockSettings settings;

	/** Whether several keys are locked together, of which there may be one. */
	private final boolean together;

	/** The parts of each key, in the order in which the locks are taken. */
	private final SortedMap<RedisLockKey, List<String>> keys = new TreeMap<>();

	/** The keys that are not yet locked. */
	private final Iterator<RedisLockKey> next;

	private final Map<RedisLockKey, HeldLock> locks = new HashMap<>(2);

	private final List<HeldLock> shared = new ArrayList<>(0);

	private final List<HeldLock> own = new ArrayList<>(1);

	private final long started = System.nanoTime();

	private final CompletableFuture<Void> givenUp = new CompletableFuture<>();

	private final AtomicBoolean published = new AtomicBoolean();

	private volatile @Nullable CompletableFuture<LockDecision> attempt;

	LockAttempt(LockEngine engine, GuardEvents events, LockSettings settings, List<List<String>> keys,
			boolean together) {
		this.engine = engine;
		this.events = events;
		this.settings = settings;
		this.together = together;
		keys.forEach((parts) -> this.keys.put(engine.key(settings.name(), parts), parts));
		this.next = this.keys.keySet().iterator();
	}

	LockAttempt begin(List<LockHandle> chain) {
		try {
			for (RedisLockKey key : this.keys.keySet()) {
				HeldLock outer = find(chain, key);
				if (outer != null) {
					this.shared.add(outer);
					this.locks.put(key, outer);
					outer.enterAgain(this.settings);
				}
			}
			proceed();
		}
		catch (RuntimeException ex) {
			fail(null, ex);
		}
		return this;
	}

	/**
	 * Finds a lock that the call chain holds already, and keeps it for the caller.
	 */
	private @Nullable HeldLock find(List<LockHandle> chain, RedisLockKey key) {
		for (int i = chain.size() - 1; i >= 0; i--) {
			if (chain.get(i) instanceof HeldLock lock && this.engine.isOf(lock, key) && lock.join()) {
				return lock;
			}
		}
		return null;
	}

	private void proceed() {
		while (this.next.hasNext() && !isDone()) {
			RedisLockKey key = this.next.next();
			if (this.locks.containsKey(key)) {
				continue;
			}
			CompletableFuture<LockDecision> asked = this.engine.acquire(settings(), key);
			this.attempt = asked;
			if (isDone()) {
				asked.cancel(false);
			}
			CompletableFuture<Boolean> taken = asked.handle((decision, failure) -> take(key, decision, failure));
			if (!taken.isDone()) {
				taken.thenAccept(this::resume);
				return;
			}
			if (!taken.join()) {
				return;
			}
		}
		finish();
	}

	private void resume(boolean taken) {
		try {
			if (taken) {
				proceed();
			}
		}
		catch (RuntimeException ex) {
			fail(null, ex);
		}
	}

	private LockSettings settings() {
		if (!this.together) {
			return this.settings;
		}
		Duration left = this.settings.waitTime().minusNanos(System.nanoTime() - this.started);
		return this.settings.waiting(left.isNegative() ? Duration.ZERO : left);
	}

	private boolean take(RedisLockKey key, @Nullable LockDecision decision, @Nullable Throwable failure) {
		if (decision instanceof Acquired acquired) {
			this.own.add(acquired.lock());
			this.locks.put(key, acquired.lock());
			return true;
		}
		if (decision instanceof Refused refused) {
			fail(refused, null);
		}
		else {
			fail(null, Waiting.cause(Objects.requireNonNull(failure)));
		}
		return false;
	}

	private void finish() {
		if (isDone() || !complete(decision(new HeldLocks(lock(), this.own, this.shared), null, null))) {
			giveUp();
		}
	}

	private LockHandle lock() {
		if (!this.together) {
			return Objects.requireNonNull(this.locks.get(this.keys.firstKey()));
		}
		Map<List<String>, HeldLock> locks = new LinkedHashMap<>();
		this.keys.forEach((key, parts) -> locks.put(parts, Objects.requireNonNull(this.locks.get(key))));
		HeldLockGroup all = new HeldLockGroup(this.engine, this.settings.name(), locks, this.own);
		all.assertHeld(); // one may be lost since it was taken
		return all;
	}

	/**
	 * Fails when the locks exclude no other caller any more.
	 */
	private void fail(@Nullable Refused refused, @Nullable Throwable failure) {
		giveUp().whenComplete((nothing, none) -> complete(decision(null, refused, failure)));
	}

	private LockAttemptResult decision(@Nullable HeldLocks locks, @Nullable Refused refused,
			@Nullable Throwable failure) {
		return new LockAttemptResult(this.settings, locks, refused, failure, this::publish, null);
	}

	private CompletableFuture<Void> giveUp() {
		return new HeldLocks(HeldLocks.none(this.settings.name()).lock(), this.own, this.shared).releaseUnused()
			.whenComplete((nothing, none) -> this.givenUp.complete(null));
	}

	private void publish(Outcome outcome) {
		boolean asked = this.together || !this.own.isEmpty() || this.shared.isEmpty();
		if (asked && this.published.compareAndSet(false, true)) {
			this.events.publish(new LockAcquireEvent(this.settings.name(), outcome,
					Duration.ofNanos(System.nanoTime() - this.started)));
		}
	}

	LockAttemptResult await() {
		return this.settings.waitTime().isZero() ? Waiting.await(this)
				: Waiting.awaitInterruptibly(this, this::interrupted);
	}

	/**
	 * Waits until a cancelled attempt has released its locks.
	 */
	LockInterruptedException interrupted(InterruptedException interrupt) {
		Waiting.await(this.givenUp);
		return new LockInterruptedException(this.settings.name(), interrupt);
	}

	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		boolean cancelled = super.cancel(mayInterruptIfRunning);
		CompletableFuture<LockDecision> asked = this.attempt;
		if (cancelled && asked != null) {
			asked.cancel(false);
		}
		if (cancelled) {
			publish(Outcome.NOT_ACQUIRED);
		}
		return cancelled;
	}

}
