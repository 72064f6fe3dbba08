/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.cache.CacheEvent.Outcome;
import io.ge.redis.cache.CacheLookup.Load;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;

/**
 * Decides for readers and writers, asynchronously and without blocking.
 * <p>
 * Readers of one entry in this instance fly together: the first one asks Redis, and loads
 * if Redis says so; the others take what it brings. They take it only if it is certain
 * that it was not outdated when they came: a hit, or a loaded value that Redis has
 * accepted. Otherwise the next one asks anew. A writer of this instance cuts the entry's
 * flight off, so that nobody who comes after the commit joins it.
 * <p>
 * A flight that waits for another instance's loader is woken by a message. It looks again
 * by itself when the loader's lease ends, and each second in case the message is lost.
 */
final class CacheEngine {

	private static final Duration BACKSTOP = Duration.ofSeconds(1);

	private static final Duration UNHEARD = Duration.ofMillis(100);

	private static final Duration RETRY = Duration.ofMillis(500);

	private static final int BATCH = 200;

	private final RedisCache redis;

	private final CacheJournal journal = new CacheJournal();

	private final Map<CacheKey, Flight> flights = new ConcurrentHashMap<>();

	private final Map<Long, Flight> waiting = new ConcurrentHashMap<>();

	private final AtomicLong ids = new AtomicLong();

	private final AtomicBoolean retrying = new AtomicBoolean();

	private final Executor soon = new CompletableFuture<>().defaultExecutor();

	private final Executor later = CompletableFuture.delayedExecutor(RETRY.toMillis(), TimeUnit.MILLISECONDS);

	private volatile boolean closed;

	CacheEngine(RedisCache redis) {
		this.redis = redis;
		redis.onWake(this::wake, () -> this.waiting.values().forEach(Flight::wake));
		redis.onRecovery(this::recovered);
	}

	void close() {
		this.closed = true;
	}

	CallBudget newBudget() {
		return this.redis.newBudget();
	}

	String newHandle() {
		return this.redis.newHandle();
	}

	Duration intentTimeout() {
		return this.redis.intentTimeout();
	}

	CacheJournal journal() {
		return this.journal;
	}

	// Readers

	/**
	 * Looks an entry up.
	 * @param readable the first bytes of values that the caller can read
	 * @param replace whether to load whatever is there
	 */
	CompletableFuture<CacheLookup> lookup(CacheKey key, CacheSettings settings, byte[] readable, boolean replace,
			CallBudget budget) {
		return new Reading(key, settings, readable, replace, budget).look();
	}

	/**
	 * Stores what was loaded with a permit.
	 * @param age of the loader's transaction when it had the permit, in milliseconds, or
	 * -1 if it is in none
	 */
	CompletableFuture<Boolean> fill(CacheLookup.Permit permit, byte[] value, Duration ttl, long age,
			CallBudget budget) {
		Flight flight = (Flight) permit;
		return this.redis.fill(flight.key, flight.token, flight.lease, value, ttl, age, budget)
			.exceptionally((failure) -> false)
			.thenApply((filled) -> {
				land(flight, filled ? Landing.of(value) : Landing.AGAIN);
				return filled;
			});
	}

	/**
	 * Gives a permit back unused.
	 */
	void release(CacheLookup.Permit permit) {
		Flight flight = (Flight) permit;
		this.redis.free(flight.key, flight.token, flight.lease);
		land(flight, Landing.AGAIN);
	}

	private void wake(long id) {
		Flight flight = this.waiting.get(id);
		if (flight != null) {
			flight.wake();
		}
	}

	private void land(Flight flight, Landing landing) {
		this.flights.remove(flight.key, flight);
		this.waiting.remove(flight.id);
		flight.landed.complete(landing);
	}

	private void cutOff(CacheKey key) {
		Flight flight = this.flights.remove(key);
		if (flight != null) {
			flight.wake();
		}
	}

	// Writers

	/**
	 * Announces a writer. Never fails: what Redis cannot be told is noted.
	 * @return whether the announcement stands
	 */
	CompletableFuture<Boolean> announce(CacheWrite write, boolean prolong) {
		return this.redis.announce(write.key(), write.id(), write.isOrdered(), prolong, write.budget())
			.handle((reply, failure) -> {
				if (failure != null) {
					this.journal.open(write.key(), write.id());
					write.announcementFailed(isUnknown(failure));
				}
				cutOff(write.key());
				return failure == null;
			});
	}

	/**
	 * Publishes the value of an announced writer.
	 */
	CompletableFuture<Outcome> publish(CacheWrite write, byte[] value, Duration ttl) {
		return this.redis.publish(write.key(), write.id(), write.isOrdered(), value, ttl, write.budget())
			.handle((published, failure) -> {
				cutOff(write.key());
				if (failure == null) {
					return CompletableFuture.completedFuture(published ? Outcome.PUBLISHED : Outcome.SUPERSEDED);
				}
				this.journal.due(write.key(), write.id(), false, write.useful());
				return remove(write.key(), write.budget());
			})
			.thenCompose((outcome) -> outcome);
	}

	/**
	 * Removes an entry after a writer, announced or not.
	 */
	CompletableFuture<Outcome> invalidate(CacheWrite write) {
		this.journal.due(write.key(), write.id(), write.isUnannounced(), write.useful());
		return remove(write.key(), write.budget());
	}

	/**
	 * Forgets a writer whose transaction was rolled back.
	 */
	void abort(CacheWrite write) {
		if (!write.isUnannounced()) {
			this.redis.abort(write.key(), write.id(), write.budget());
			return;
		}
		this.journal.forget(write.key());
		if (write.isPerhapsAnnounced()) {
			this.redis.abortEventually(write.key(), write.id());
		}
	}

	private CompletableFuture<Outcome> remove(CacheKey key, CallBudget budget) {
		CacheJournal.Note note = this.journal.due(key);
		List<String> writers = (note != null) ? note.writers() : List.of();
		return this.redis.invalidate(key, writers, budget).handle((reply, failure) -> {
			cutOff(key);
			if (failure != null) {
				this.journal.defer(key);
				retry();
				return Outcome.DEFERRED;
			}
			if (note != null) {
				this.journal.removed(key, note);
			}
			return Outcome.INVALIDATED;
		});
	}

	private void retry() {
		if (!this.closed && this.retrying.compareAndSet(false, true)) {
			this.later.execute(() -> {
				this.retrying.set(false);
				removeDeferred();
			});
		}
	}

	/**
	 * Called on a thread of the driver or of the breaker, which has other things to do.
	 */
	private void recovered() {
		this.journal.recovered();
		this.soon.execute(() -> {
			this.journal.resume();
			removeDeferred();
		});
	}

	/**
	 * Removes some of what could not be removed. Ends where nothing can be reached: then
	 * the recovery begins anew.
	 */
	private void removeDeferred() {
		if (this.closed || this.redis.isAway()) {
			return;
		}
		List<CacheKey> reachable = this.journal.takeDeferred(BATCH, this.redis::isAway);
		if (reachable.isEmpty()) {
			if (this.journal.hasDeferred()) {
				this.soon.execute(this::removeDeferred);
			}
			return;
		}
		List<CompletableFuture<Outcome>> removals = new ArrayList<>(reachable.size());
		reachable.forEach((key) -> removals.add(remove(key, newBudget())));
		CompletableFuture.allOf(removals.toArray(CompletableFuture[]::new)).thenRun(() -> {
			// Until then other instances may read what is outdated
			if (removals.stream().anyMatch((removal) -> removal.join() == Outcome.INVALIDATED)) {
				this.soon.execute(this::removeDeferred);
			}
			else if (this.journal.hasDeferred()) {
				retry();
			}
		});
	}

	private static boolean isUnknown(Throwable failure) {
		return !(Waiting.cause(failure) instanceof RedisUnavailableException unavailable)
				|| unavailable.isOutcomeUnknown();
	}

	/**
	 * One reader's way to a value.
	 */
	private final class Reading {

		private final CacheKey key;

		private final CacheSettings settings;

		private final byte[] readable;

		private final boolean replace;

		private final CallBudget budget;

		private final long deadline;

		Reading(CacheKey key, CacheSettings settings, byte[] readable, boolean replace, CallBudget budget) {
			this.key = key;
			this.settings = settings;
			this.readable = readable;
			this.replace = replace;
			this.budget = budget;
			this.deadline = System.nanoTime() + settings.loadWait().toNanos();
		}

		CompletableFuture<CacheLookup> look() {
			if (CacheEngine.this.redis.isAway(this.key) || CacheEngine.this.journal.holds(this.key)) {
				return CompletableFuture.completedFuture(Load.BYPASS);
			}
			Flight own = new Flight(CacheEngine.this.ids.incrementAndGet(), this.key, this.settings.leaseTime(),
					CacheEngine.this.redis.newHandle());
			Flight other = CacheEngine.this.flights.putIfAbsent(this.key, own);
			return (other != null) ? join(other) : ask(own);
		}

		private CompletableFuture<CacheLookup> join(Flight other) {
			long left = this.deadline - System.nanoTime();
			if (left <= 0) {
				return CompletableFuture.completedFuture(Load.UNSTORED);
			}
			return other.landed.thenApply((landing) -> landing)
				.completeOnTimeout(Landing.LATE, left, TimeUnit.NANOSECONDS)
				.thenCompose((landing) -> switch (landing.kind()) {
					case VALUE -> CompletableFuture.completedFuture(new CacheLookup.Found(landing.value()));
					case BYPASS -> CompletableFuture.completedFuture(Load.BYPASS);
					case LATE -> CompletableFuture.completedFuture(Load.UNSTORED);
					case AGAIN -> look();
				});
		}

		private CompletableFuture<CacheLookup> ask(Flight own) {
			CompletableFuture<Void> woken = own.arm();
			CacheEngine.this.waiting.put(own.id, own);
			return CacheEngine.this.redis
				.lookup(this.key, own.token, own.lease, own.id, this.readable, this.replace, this.budget)
				.handle((answer, failure) -> (failure != null) ? new RedisCache.Answer.Bypass() : answer)
				.thenCompose((answer) -> go(own, answer, woken));
		}

		private CompletableFuture<CacheLookup> go(Flight own, RedisCache.Answer answer, CompletableFuture<Void> woken) {
			if (answer instanceof RedisCache.Answer.Hit hit) {
				land(own, Landing.of(hit.value()));
				return CompletableFuture.completedFuture(new CacheLookup.Found(hit.value()));
			}
			if (answer instanceof RedisCache.Answer.Leased leased) {
				return CompletableFuture.completedFuture(new Load(own, false, leased.replaced()));
			}
			if (answer instanceof RedisCache.Answer.Busy busy) {
				return await(own, busy.left(), woken);
			}
			land(own, Landing.BYPASSED);
			return CompletableFuture.completedFuture(Load.BYPASS);
		}

		private CompletableFuture<CacheLookup> await(Flight own, Duration lease, CompletableFuture<Void> woken) {
			long left = this.deadline - System.nanoTime();
			if (left <= 0) {
				land(own, Landing.AGAIN);
				return CompletableFuture.completedFuture(Load.UNSTORED);
			}
			Duration backstop = CacheEngine.this.redis.isWoken() ? BACKSTOP : UNHEARD;
			long pause = Math.min(left, Math.min(lease.toNanos(), backstop.toNanos()));
			return woken.completeOnTimeout(null, pause, TimeUnit.NANOSECONDS).thenCompose((none) -> ask(own));
		}

	}

	/**
	 * The readers of one entry that are under way together.
	 */
	private static final class Flight implements CacheLookup.Permit {

		private final long id;

		private final CacheKey key;

		private final Duration lease;

		private final String token;

		private final CompletableFuture<Landing> landed = new CompletableFuture<>();

		private volatile CompletableFuture<Void> woken = new CompletableFuture<>();

		Flight(long id, CacheKey key, Duration lease, String token) {
			this.id = id;
			this.key = key;
			this.lease = lease;
			this.token = token;
		}

		CompletableFuture<Void> arm() {
			CompletableFuture<Void> next = new CompletableFuture<>();
			this.woken = next;
			return next;
		}

		void wake() {
			this.woken.complete(null);
		}

	}

	/**
	 * What a flight brought to those who joined it.
	 *
	 * @param kind what it is
	 * @param value the bytes, for {@link Kind#VALUE}
	 */
	private record Landing(Kind kind, byte[] value) {

		private static final byte[] NONE = {};

		static final Landing BYPASSED = new Landing(Kind.BYPASS, NONE);

		static final Landing AGAIN = new Landing(Kind.AGAIN, NONE);

		static final Landing LATE = new Landing(Kind.LATE, NONE);

		static Landing of(byte[] value) {
			return new Landing(Kind.VALUE, value);
		}

		enum Kind {

			VALUE, BYPASS, AGAIN, LATE

		}

	}

}
