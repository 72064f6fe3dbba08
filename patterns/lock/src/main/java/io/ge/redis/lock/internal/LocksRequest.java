// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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

	/** In the order in which the locks are taken. */
	private final List<Wanted> wanted;

	/** The index of the one that is taken next. */
	private int next;

	private final List<HeldLock> shared = new ArrayList<>(0);

	private final List<HeldLock> own = new ArrayList<>(1);

	private final long started = System.nanoTime();

	private final CompletableFuture<Void> givenUp = new CompletableFuture<>();

	private final AtomicBoolean published = new AtomicBoolean();

	private volatile @Nullable CompletableFuture<LockDecision> attempt;

	LocksRequest(LockEngine engine, GuardEvents events, LockSettings settings, List<List<String>> keys,
			boolean together) {
		this.engine = engine;
		this.events = events;
		this.settings = settings;
		this.together = together;
		this.wanted = wanted(keys);
	}

	private List<Wanted> wanted(List<List<String>> keys) {
		if (keys.size() == 1) {
			return List.of(new Wanted(this.engine.key(this.settings.name(), keys.get(0)), keys.get(0)));
		}
		SortedMap<RedisLockKey, Wanted> ordered = new TreeMap<>();
		for (List<String> parts : keys) {
			RedisLockKey key = this.engine.key(this.settings.name(), parts);
			ordered.put(key, new Wanted(key, parts));
		}
		return List.copyOf(ordered.values());
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
		while (this.next < this.wanted.size() && !isDone()) {
			Wanted each = this.wanted.get(this.next++);
			if (each.lock != null) {
				continue;
			}
			CompletableFuture<LockDecision> asked = this.engine.acquire(settings(), each.key);
			this.attempt = asked;
			if (isDone()) {
				asked.cancel(false);
			}
			if (!asked.isDone()) {
				asked.whenComplete((decision, failure) -> {
					if (take(each, decision, failure)) {
						resume();
					}
				});
				return;
			}
			if (!take(each, asked)) {
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

	private boolean take(Wanted wanted, CompletableFuture<LockDecision> decided) {
		try {
			return take(wanted, decided.join(), null);
		}
		catch (CompletionException | CancellationException ex) {
			return take(wanted, null, ex);
		}
	}

	private boolean take(Wanted wanted, @Nullable LockDecision decision, @Nullable Throwable failure) {
		if (decision instanceof Acquired acquired) {
			this.own.add(acquired.lock());
			wanted.lock = acquired.lock();
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
		this.wanted.forEach((each) -> locks.put(each.parts, Objects.requireNonNull(each.lock)));
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

		final RedisLockKey key;

		final List<String> parts;

		@Nullable HeldLock lock;

		Wanted(RedisLockKey key, List<String> parts) {
			this.key = key;
			this.parts = parts;
		}

	}

}
