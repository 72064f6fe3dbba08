/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.lock.LockAcquireEvent.Outcome;
import io.ge.redis.lock.LockDecision.Acquired;
import io.ge.redis.lock.LockDecision.Refused;
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
final class Entering extends CompletableFuture<Entered> {

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

	private int taken;

	private volatile @Nullable CompletableFuture<LockDecision> attempt;

	Entering(LockEngine engine, GuardEvents events, LockSettings settings, List<List<String>> keys, boolean together) {
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

	/**
	 * Begins.
	 * @param chain finds what the call chain holds
	 */
	Entering begin(CallChain chain) {
		try {
			for (Wanted each : this.wanted) {
				HeldLock outer = chain.enterAgain(each.key);
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
				asked.whenComplete((acquisition, failure) -> {
					if (take(next, acquisition, failure)) {
						resume();
					}
				});
				return;
			}
			if (!asked.handle((acquisition, failure) -> take(next, acquisition, failure)).join()) {
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

	private boolean take(Wanted next, @Nullable LockDecision acquisition, @Nullable Throwable failure) {
		if (acquisition instanceof Acquired acquired) {
			this.own.add(acquired.lock());
			next.lock = acquired.lock();
			return true;
		}
		if (acquisition instanceof Refused refused) {
			fail(refused, null);
		}
		else {
			fail(null, LockEngine.cause(Objects.requireNonNull(failure)));
		}
		return false;
	}

	private void finish() {
		if (isDone() || !complete(entered(new Entry(lock(), this.own, this.shared), null, null))) {
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
		HeldLocks all = new HeldLocks(this.engine, this.settings.name(), locks, this.own);
		all.assertHeld(); // one may be lost since it was taken
		return all;
	}

	/**
	 * Fails when nobody is kept from anything any more.
	 */
	private void fail(@Nullable Refused refused, @Nullable Throwable failure) {
		giveUp().whenComplete((nothing, none) -> complete(entered(null, refused, failure)));
	}

	private Entered entered(@Nullable Entry entry, @Nullable Refused refused, @Nullable Throwable failure) {
		return new Entered(this.settings, entry, refused, failure, this::tell);
	}

	private CompletableFuture<Void> giveUp() {
		return new Entry(new NoLock(this.settings.name()), this.own, this.shared).giveBack()
			.whenComplete((nothing, none) -> this.givenUp.complete(null));
	}

	private void tell(Outcome outcome) {
		if (this.together || !this.own.isEmpty() || this.shared.isEmpty()) {
			this.events.publish(new LockAcquireEvent(this.settings.name(), outcome,
					Duration.ofNanos(System.nanoTime() - this.started)));
		}
	}

	/**
	 * Waits on the thread of the caller.
	 * @throws LockInterruptedException if an interrupt has ended the wait, and the
	 * attempt
	 */
	Entered await() {
		return this.settings.waitTime().isZero() ? Waiting.await(this)
				: Waiting.awaitInterruptibly(this, this::interrupted);
	}

	/**
	 * Waits until a cancelled attempt has given up what it had.
	 * @return the exception of a caller whose wait was interrupted
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
			tell(Outcome.NOT_ACQUIRED);
		}
		return cancelled;
	}

	/**
	 * Finds locks that the caller's call chain holds already.
	 */
	@FunctionalInterface
	interface CallChain {

		/** Holds nothing. */
		CallChain NONE = (key) -> null;

		/**
		 * Finds a lock, and keeps it for the caller, who has to leave it.
		 * @param key what is locked
		 */
		@Nullable HeldLock enterAgain(RedisLockKey key);

	}

	/**
	 * One of the locks, which is held from some step on.
	 */
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
