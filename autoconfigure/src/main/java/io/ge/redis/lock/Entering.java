/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

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
import java.util.function.Consumer;

import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.lock.Acquisition.Acquired;
import io.ge.redis.lock.Acquisition.Refused;
import io.ge.redis.lock.LockAcquireEvent.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The attempt to enter the locks of one call, without blocking: those that its call chain
 * holds are entered again, the others are taken one after the other, in an order that is
 * the same everywhere, so that no two callers wait for each other; none if one is
 * refused. Whoever cancels it has none.
 * <p>
 * Its steps follow each other, on the thread of the caller and on those of the engine.
 * Whichever finds that it was cancelled gives back what the steps before have brought.
 */
final class Entering extends CompletableFuture<Entered> {

	private final LockEngine engine;

	private final GuardEvents events;

	private final LockSettings settings;

	/** Whether several keys are locked together, of which there may be one. */
	private final boolean together;

	private final SortedMap<RedisLockKey, List<String>> wanted = new TreeMap<>();

	private final Map<RedisLockKey, HeldLock> again = new HashMap<>();

	private final List<HeldLock> shared = new ArrayList<>(0);

	private final Map<List<String>, HeldLock> locks = new LinkedHashMap<>();

	private final List<HeldLock> own = new ArrayList<>(1);

	private final Iterator<Map.Entry<RedisLockKey, List<String>>> rest;

	private final long started = System.nanoTime();

	private final CompletableFuture<Void> givenBack = new CompletableFuture<>();

	private volatile @Nullable CompletableFuture<Acquisition> attempt;

	Entering(LockEngine engine, GuardEvents events, LockSettings settings, List<List<String>> keys, boolean together) {
		this.engine = engine;
		this.events = events;
		this.settings = settings;
		this.together = together;
		keys.forEach((parts) -> this.wanted.put(engine.key(settings.name(), parts), parts));
		this.rest = this.wanted.entrySet().iterator();
	}

	/**
	 * Begins.
	 * @param chain finds what the call chain holds
	 */
	Entering begin(CallChain chain) {
		try {
			for (RedisLockKey key : this.wanted.keySet()) {
				HeldLock outer = chain.enterAgain(key, this.shared::add);
				if (outer != null) {
					this.again.put(key, outer);
					outer.enterAgain(this.settings);
				}
			}
			proceed();
		}
		catch (RuntimeException ex) {
			fail(ex);
		}
		return this;
	}

	private void proceed() {
		while (this.rest.hasNext() && !isDone()) {
			Map.Entry<RedisLockKey, List<String>> next = this.rest.next();
			HeldLock outer = this.again.get(next.getKey());
			if (outer != null) {
				this.locks.put(next.getValue(), outer);
				continue;
			}
			CompletableFuture<Acquisition> asked = this.engine.acquire(settings(), next.getKey());
			this.attempt = asked;
			if (isDone()) {
				asked.cancel(false);
			}
			if (!asked.isDone()) {
				asked.whenComplete((acquisition, failure) -> {
					if (take(next.getValue(), acquisition, failure)) {
						resume();
					}
				});
				return;
			}
			if (!asked.handle((acquisition, failure) -> take(next.getValue(), acquisition, failure)).join()) {
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
			fail(ex);
		}
	}

	private LockSettings settings() {
		if (!this.together) {
			return this.settings;
		}
		Duration left = this.settings.waitTime().minusNanos(System.nanoTime() - this.started);
		return this.settings.waiting(left.isNegative() ? Duration.ZERO : left);
	}

	private boolean take(List<String> parts, @Nullable Acquisition acquisition, @Nullable Throwable failure) {
		if (acquisition instanceof Acquired acquired) {
			this.own.add(acquired.lock());
			this.locks.put(parts, acquired.lock());
			return true;
		}
		fail((acquisition instanceof Refused refused)
				? new LockNotAcquiredException(this.settings.name(), refused.retryAfter())
				: LockEngine.cause(Objects.requireNonNull(failure)));
		return false;
	}

	private void finish() {
		if (isDone()) {
			giveBack();
			return;
		}
		HeldLocks all = new HeldLocks(this.engine, this.settings.name(), this.locks, this.own);
		if (this.together) {
			all.assertHeld(); // one may be lost since it was taken
		}
		LockHandle lock = this.together ? all : this.locks.values().iterator().next();
		Entry entry = new Entry(lock, this.own, this.shared);
		if (!complete(new Entered(this.settings.displayName(), entry, null, this::tell))) {
			giveBack();
		}
	}

	/**
	 * Fails when nobody is kept from anything any more.
	 */
	private void fail(Throwable failure) {
		giveBack().whenComplete(
				(nothing, none) -> complete(new Entered(this.settings.displayName(), null, failure, this::tell)));
	}

	private CompletableFuture<Void> giveBack() {
		return new Entry(new NoLock(this.settings.name()), this.own, this.shared).giveBack()
			.whenComplete((nothing, none) -> this.givenBack.complete(null));
	}

	private void tell(Outcome outcome) {
		if (this.together || !this.own.isEmpty() || this.again.isEmpty()) {
			this.events.publish(new LockAcquireEvent(this.settings.name(), outcome,
					Duration.ofNanos(System.nanoTime() - this.started)));
		}
	}

	/**
	 * Returns what completes when a cancelled attempt has given back what it had.
	 */
	CompletableFuture<Void> givenBack() {
		return this.givenBack;
	}

	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		boolean cancelled = super.cancel(mayInterruptIfRunning);
		CompletableFuture<Acquisition> asked = this.attempt;
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
		CallChain NONE = (key, shared) -> null;

		/**
		 * Finds a lock.
		 * @param key what is locked
		 * @param shared takes a lock that is kept for the caller, who has to leave it
		 */
		@Nullable HeldLock enterAgain(RedisLockKey key, Consumer<HeldLock> shared);

	}

}
