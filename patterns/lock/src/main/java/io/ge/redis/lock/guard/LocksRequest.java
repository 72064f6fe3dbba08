/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock.guard;

import java.time.Duration;
import java.util.ArrayList;
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
import io.ge.redis.lock.LockAcquireEvent.Outcome;
import io.ge.redis.lock.LockAcquireEvent;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockInterruptedException;
import io.ge.redis.lock.engine.HeldLock;
import io.ge.redis.lock.engine.LockDecision.Acquired;
import io.ge.redis.lock.engine.LockDecision.Refused;
import io.ge.redis.lock.engine.LockDecision;
import io.ge.redis.lock.engine.LockEngine;
import io.ge.redis.lock.engine.LockSettings;
import io.ge.redis.lock.engine.RedisLockKey;
import org.jspecify.annotations.Nullable;

/**
 * The attempt to enter the locks of one call, without blocking: those that its call chain
 * holds are entered again, the others are taken one after the other, in an order that is
 * the same everywhere, so that no two callers wait for each other; none if one is
 * refused. Cancelling it gives up what it has.
 * <p>
 * Its steps follow each other, on the thread of the caller and on those of the engine. A
 * step that finds the attempt cancelled gives up what the steps before have brought.
 */
final class LocksRequest extends CompletableFuture<LocksDecision> {

	private final LockEngine engine;

	private final GuardEvents events;

	private final LockSettings settings;

	/** Whether several keys are locked together, of which there may be one. */
	private final boolean together;

	private final List<Wanted> wanted;

	private final List<HeldLock> shared = new ArrayList<>(0);

	private final List<HeldLock> own = new ArrayList<>(1);

	private final long started = System.nanoTime();

	private final CompletableFuture<Void> givenUp = new CompletableFuture<>();

	private final AtomicBoolean published = new AtomicBoolean();

	private int taken;

	private volatile @Nullable CompletableFuture<LockDecision> attempt;

	LocksRequest(LockEngine engine, GuardEvents events, LockSettings settings, List<List<String>> keys,
			boolean together) {
		this.engine = engine;
		this.events = events;
		this.settings = settings;
		this.together = together;
		this.wanted = (keys.size() == 1) ? List.of(wanted(keys.get(0))) : sorted(keys);
	}

	private List<Wanted> sorted(List<List<String>> keys) {
		SortedMap<RedisLockKey, Wanted> sorted = new TreeMap<>();
		for (List<String> parts : keys) {
			Wanted each = wanted(parts);
			sorted.put(each.key, each);
		}
		return List.copyOf(sorted.values());
	}

	private Wanted wanted(List<String> parts) {
		return new Wanted(this.engine.key(this.settings.name(), parts), parts);
	}

	LocksRequest begin(List<LockHandle> chain) {
		try {
			for (Wanted each : this.wanted) {
				HeldLock outer = find(chain, each.key);
				if (outer != null) {
					this.shared.add(outer);
					each.lock = outer;
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
		while (this.taken < this.wanted.size() && !isDone()) {
			Wanted next = this.wanted.get(this.taken++);
			if (next.lock != null) {
				continue;
			}
			CompletableFuture<LockDecision> asked = this.engine.acquire(settings(), next.key);
			this.attempt = asked;
			if (isDone()) {
				asked.cancel(false);
			}
			if (!asked.isDone()) {
				asked.whenComplete((decision, failure) -> {
					if (take(next, decision, failure)) {
						resume();
					}
				});
				return;
			}
			if (!asked.handle((decision, failure) -> take(next, decision, failure)).join()) {
				return;
			}
		}
		finish();
	}

	private void resume() {
		try {
			proceed();
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

	private boolean take(Wanted next, @Nullable LockDecision decision, @Nullable Throwable failure) {
		if (decision instanceof Acquired acquired) {
			this.own.add(acquired.lock());
			next.lock = acquired.lock();
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
			return Objects.requireNonNull(this.wanted.get(0).lock);
		}
		Map<List<String>, HeldLock> locks = new LinkedHashMap<>();
		for (Wanted each : this.wanted) {
			locks.put(each.parts, Objects.requireNonNull(each.lock));
		}
		HeldLockGroup all = new HeldLockGroup(this.engine, this.settings.name(), locks, this.own);
		all.assertHeld(); // one may be lost since it was taken
		return all;
	}

	/**
	 * Fails when nobody is kept from anything any more.
	 */
	private void fail(@Nullable Refused refused, @Nullable Throwable failure) {
		giveUp().whenComplete((nothing, none) -> complete(decision(null, refused, failure)));
	}

	private LocksDecision decision(@Nullable HeldLocks locks, @Nullable Refused refused, @Nullable Throwable failure) {
		return new LocksDecision(this.settings, locks, refused, failure, this::publish, null);
	}

	private CompletableFuture<Void> giveUp() {
		return new HeldLocks(HeldLocks.none(this.settings.name()).lock(), this.own, this.shared).giveBack()
			.whenComplete((nothing, none) -> this.givenUp.complete(null));
	}

	private void publish(Outcome outcome) {
		boolean asked = this.together || !this.own.isEmpty() || this.shared.isEmpty();
		if (asked && this.published.compareAndSet(false, true)) {
			this.events.publish(new LockAcquireEvent(this.settings.name(), outcome,
					Duration.ofNanos(System.nanoTime() - this.started)));
		}
	}

	LocksDecision await() {
		return this.settings.waitTime().isZero() ? Waiting.await(this)
				: Waiting.awaitInterruptibly(this, this::interrupted);
	}

	/**
	 * Waits until a cancelled attempt has given up what it had.
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

	private static final class Wanted {

		private final RedisLockKey key;

		private final List<String> parts;

		private @Nullable HeldLock lock;

		Wanted(RedisLockKey key, List<String> parts) {
			this.key = key;
			this.parts = parts;
		}

	}

}
