/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.ge.redis.cache.CacheLookup.Load;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * Finds values for readers, asynchronously and without blocking.
 * <p>
 * Readers of one entry in this instance fly together: the first one asks Redis, and loads
 * if Redis says so; the others take what it brings. They take it only if it is certain
 * that it was not outdated when they came: a hit, or a loaded value that Redis has
 * accepted. Otherwise the next one asks anew. A writer of this instance cuts the entry's
 * flight off, so that nobody who comes after the commit joins it.
 * <p>
 * A flight that waits for another instance's loader is woken by a message. It looks again
 * by itself when the loader's lease ends, and each second in case the message is lost.
 * <p>
 * A reader that finds a value near its expiry may be chosen to replace it: the nearer,
 * the likelier, in units of the time that it took to load. A lease in Redis lets one of
 * all do it. So the new value is there before anybody misses the old one, and it is
 * loaded once. The dice alone would let readers begin too late; so they are cast as if
 * the expiry were {@value #MARGIN} load times earlier.
 */
final class CacheFlights {

	private static final Duration BACKSTOP = Duration.ofSeconds(1);

	private static final Duration UNHEARD = Duration.ofMillis(100);

	/** After a failure nobody tries to replace a value that stands. */
	static final Duration REST = Duration.ofSeconds(1);

	static final int MARGIN = 2;

	private final RedisCache redis;

	private final CacheJournal journal;

	private final Consumer<CacheKey> changed;

	private final Map<CacheKey, Flight> flights = new ConcurrentHashMap<>();

	private final Map<Long, Flight> waiting = new ConcurrentHashMap<>();

	private final AtomicLong ids = new AtomicLong();

	/**
	 * Creates the flights of this instance.
	 * @param journal the entries that Redis is not to be asked for
	 * @param changed told of entries that a writer of this instance has changed
	 */
	CacheFlights(RedisCache redis, CacheJournal journal, Consumer<CacheKey> changed) {
		this.redis = redis;
		this.journal = journal;
		this.changed = changed;
		redis.onWake(this::wake, () -> this.waiting.values().forEach(Flight::wake));
	}

	CallBudget newBudget() {
		return this.redis.newBudget();
	}

	/**
	 * Looks an entry up.
	 */
	CompletableFuture<CacheLookup> lookup(CacheQuestion question, CallBudget budget) {
		return new Reading(question, budget).look();
	}

	/**
	 * Stores what was loaded with a permit.
	 * @param age of the loader's transaction when it had the permit, in milliseconds, or
	 * -1 if it is in none
	 */
	CompletableFuture<Boolean> fill(CacheLookup.Permit permit, CacheWrite.NewValue value, long age, CallBudget budget) {
		Flight flight = (Flight) permit;
		return this.redis.fill(flight.key, flight.token, flight.lease, value.bytes(), value.ttl(), age, budget)
			.exceptionally((failure) -> false)
			.thenApply((filled) -> {
				land(flight, filled ? Landing.of(value.bytes(), value.leftMillis()) : Landing.AGAIN);
				return filled;
			});
	}

	/**
	 * Gives a permit back unused.
	 * @param failed whether the value could not be loaded or stored, so that one that
	 * stands, expired or not, is not replaced for a while
	 */
	void release(CacheLookup.Permit permit, boolean failed) {
		Flight flight = (Flight) permit;
		this.redis.free(flight.key, flight.token, flight.lease, failed ? REST : Duration.ZERO, false);
		land(flight, Landing.AGAIN);
	}

	/**
	 * Gives a permit back whose value was loaded and is not to be stored. One that has
	 * expired goes; one that still stands is not replaced for a while.
	 */
	void discard(CacheLookup.Permit permit) {
		Flight flight = (Flight) permit;
		this.redis.free(flight.key, flight.token, flight.lease, REST, true);
		land(flight, Landing.AGAIN);
	}

	/**
	 * Lets nobody join the flight of an entry any more, which has changed.
	 */
	void cutOff(CacheKey key) {
		this.changed.accept(key);
		Flight flight = this.flights.remove(key);
		if (flight != null) {
			flight.wake();
		}
	}

	private void wake(long id) {
		Flight flight = this.waiting.get(id);
		if (flight != null) {
			flight.wake();
		}
	}

	// Several entries at once

	/**
	 * Begins to look several entries of one cache up.
	 * @param readable the first bytes of values that the caller can read
	 */
	CacheBatch batch(Collection<CacheKey> keys, CacheSettings settings, byte[] readable, CallBudget budget) {
		return new CacheBatch(this, keys, settings, readable, budget);
	}

	/**
	 * Stores what was loaded with several permits, as {@link #fill}.
	 */
	CompletableFuture<Void> fillAll(Map<CacheLookup.Permit, CacheWrite.NewValue> values, CacheSettings settings,
			long age, CallBudget budget) {
		List<Flight> all = new ArrayList<>(values.size());
		List<RedisCache.Filling> fillings = new ArrayList<>(values.size());
		values.forEach((permit, value) -> {
			Flight flight = (Flight) permit;
			all.add(flight);
			fillings.add(new RedisCache.Filling(flight.key, flight.token, value.bytes(), value.ttl()));
		});
		return this.redis.fillAll(fillings, settings.leaseTime(), age, budget).thenAccept((filled) -> {
			for (int i = 0; i < all.size(); i++) {
				CacheWrite.NewValue value = Objects.requireNonNull(values.get(all.get(i)));
				land(all.get(i), filled.get(i) ? Landing.of(value.bytes(), value.leftMillis()) : Landing.AGAIN);
			}
		});
	}

	/**
	 * Returns whether Redis is not to be asked for an entry.
	 */
	boolean isPassedBy(CacheKey key) {
		return this.redis.isAway(key) || this.journal.holds(key);
	}

	Flight newFlight(CacheKey key, Duration lease) {
		return new Flight(this.ids.incrementAndGet(), key, lease, this.redis.newHandle());
	}

	/**
	 * Lets others join a flight.
	 * @return {@code null}, or the flight of that entry that is under way already
	 */
	@Nullable Flight begin(Flight flight) {
		Flight other = this.flights.putIfAbsent(flight.key, flight);
		if (other == null) {
			this.waiting.put(flight.id, flight);
		}
		return other;
	}

	/**
	 * Has those who joined a flight go on by themselves. It is still woken.
	 */
	void leave(Flight flight) {
		this.flights.remove(flight.key, flight);
		flight.land(Landing.AGAIN);
	}

	void forget(Flight flight) {
		this.waiting.remove(flight.id);
	}

	CompletableFuture<List<RedisCache.Answer>> lookupAll(List<RedisCache.Asking> all, CallBudget budget) {
		return this.redis.lookupAll(all, budget);
	}

	/**
	 * Returns after which time whoever waits looks again by itself.
	 */
	Duration backstop() {
		return this.redis.isWoken() ? BACKSTOP : UNHEARD;
	}

	void land(Flight flight, Landing landing) {
		this.flights.remove(flight.key, flight);
		this.waiting.remove(flight.id);
		flight.land(landing);
	}

	/**
	 * Returns how many thousandths of its load time before its expiry a reader replaces a
	 * value.
	 */
	private static long urge(CacheQuestion question) {
		double beta = question.settings().refreshUrge();
		if (beta == 0 || !question.refreshable()) {
			return 0;
		}
		double dice = -Math.log(1 - ThreadLocalRandom.current().nextDouble());
		return Math.round(1000 * (MARGIN + beta * dice));
	}

	/**
	 * One reader's way to a value.
	 */
	private final class Reading {

		private final CacheQuestion question;

		private final CacheKey key;

		private final CacheSettings settings;

		private final CallBudget budget;

		private final long deadline;

		Reading(CacheQuestion question, CallBudget budget) {
			this.question = question;
			this.key = question.key();
			this.settings = question.settings();
			this.budget = budget;
			this.deadline = question.asked() + this.settings.loadWait().toNanos();
		}

		CompletableFuture<CacheLookup> look() {
			if (isPassedBy(this.key)) {
				return CompletableFuture.completedFuture(Load.BYPASS);
			}
			Flight own = newFlight(this.key, this.settings.leaseTime());
			Flight other = CacheFlights.this.flights.putIfAbsent(this.key, own);
			return (other != null) ? join(other) : ask(own);
		}

		private CompletableFuture<CacheLookup> join(Flight other) {
			long left = Math.max(0, this.deadline - System.nanoTime());
			return other.landed.thenApply((landing) -> landing)
				.completeOnTimeout(Landing.LATE, left, TimeUnit.NANOSECONDS)
				.thenCompose((landing) -> (landing.kind() != Landing.Kind.LATE) ? take(other, landing)
						: other.answered(this.budget)
							.thenCompose((none) -> take(other, other.landed.getNow(Landing.LATE))));
		}

		private CompletableFuture<CacheLookup> take(Flight other, Landing landing) {
			return switch (landing.kind()) {
				case VALUE -> CompletableFuture
					.completedFuture(new CacheLookup.Found(landing.value(), landing.leftMillis(), null, false));
				case EXPIRED -> CompletableFuture.completedFuture(new CacheLookup.Expired(landing.value()));
				case BYPASS -> CompletableFuture.completedFuture(new Load(null, true, false, other.expired));
				case LATE -> lateFor(other);
				case AGAIN -> look();
			};
		}

		// What the other has found to have expired another instance may have replaced
		// since: whoever would return it asks once more
		private CompletableFuture<CacheLookup> lateFor(Flight other) {
			if (this.settings.onLoadTimeout() != OnLoadTimeout.STALE) {
				return late(other.expired);
			}
			return ask(newFlight(this.key, this.settings.leaseTime()));
		}

		private CompletableFuture<CacheLookup> late(byte @Nullable [] expired) {
			CacheLookup instead = switch (this.settings.onLoadTimeout()) {
				case LOAD -> new Load(null, false, false, expired);
				case STALE -> (expired != null) ? new CacheLookup.Expired(expired) : Load.UNSTORED;
				case FAIL -> new CacheLookup.Late();
			};
			return CompletableFuture.completedFuture(instead);
		}

		private CompletableFuture<CacheLookup> ask(Flight own) {
			CompletableFuture<Void> woken = own.arm();
			CacheFlights.this.waiting.put(own.id, own);
			return CacheFlights.this.redis.lookup(this.question, own.token, own.id, urge(this.question), this.budget)
				.handle((answer, failure) -> (failure != null) ? new RedisCache.Answer.Bypass(null) : answer)
				.thenCompose((answer) -> go(own, answer, woken));
		}

		private CompletableFuture<CacheLookup> go(Flight own, RedisCache.Answer answer, CompletableFuture<Void> woken) {
			if (answer instanceof RedisCache.Answer.Hit hit) {
				land(own, Landing.of(hit.value(), hit.leftMillis()));
				return CompletableFuture.completedFuture(
						new CacheLookup.Found(hit.value(), hit.leftMillis(), hit.refreshing() ? own : null, true));
			}
			if (answer instanceof RedisCache.Answer.Leased leased) {
				own.expired = leased.expired();
				own.answered.complete(null);
				return CompletableFuture.completedFuture(new Load(own, false, leased.replaced(), leased.expired()));
			}
			if (answer instanceof RedisCache.Answer.Busy busy) {
				own.expired = busy.expired();
				own.answered.complete(null);
				return await(own, busy.left(), woken);
			}
			if (answer instanceof RedisCache.Answer.Stale stale) {
				land(own, Landing.expired(stale.value()));
				return CompletableFuture.completedFuture(new CacheLookup.Expired(stale.value()));
			}
			own.expired = ((RedisCache.Answer.Bypass) answer).expired();
			land(own, Landing.BYPASSED);
			return CompletableFuture.completedFuture(new Load(null, true, false, own.expired));
		}

		private CompletableFuture<CacheLookup> await(Flight own, Duration lease, CompletableFuture<Void> woken) {
			long left = this.deadline - System.nanoTime();
			if (left <= 0) {
				land(own, Landing.AGAIN);
				return late(own.expired);
			}
			long pause = Math.min(left, Math.min(lease.toNanos(), backstop().toNanos()));
			return woken.completeOnTimeout(null, pause, TimeUnit.NANOSECONDS).thenCompose((none) -> ask(own));
		}

	}

	/**
	 * The readers of one entry that are under way together.
	 */
	static final class Flight implements CacheLookup.Permit {

		final long id;

		final CacheKey key;

		private final Duration lease;

		final String token;

		final CompletableFuture<Landing> landed = new CompletableFuture<>();

		/** Completes when Redis has said whether a value must be awaited. */
		final CompletableFuture<Void> answered = new CompletableFuture<>();

		volatile CompletableFuture<Void> woken = new CompletableFuture<>();

		/** What those may have who cannot wait any longer. */
		volatile byte @Nullable [] expired;

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

		void land(Landing landing) {
			this.landed.complete(landing);
			this.answered.complete(null);
		}

		/**
		 * Waits until it is known whether this flight loads or waits. Before that it
		 * keeps nobody longer than a hit does.
		 * @param budget bounds that
		 */
		CompletableFuture<Void> answered(CallBudget budget) {
			return this.answered.thenApply((none) -> none)
				.completeOnTimeout(null, Math.max(0, budget.remainingNanos()), TimeUnit.NANOSECONDS);
		}

	}

	/**
	 * What a flight brought to those who joined it.
	 *
	 * @param kind what it is
	 * @param value the bytes, for {@link Kind#VALUE} and {@link Kind#EXPIRED}
	 * @param leftMillis the time to the expiry, for {@link Kind#VALUE}
	 */
	record Landing(Kind kind, byte[] value, long leftMillis) {

		private static final byte[] NONE = {};

		static final Landing BYPASSED = new Landing(Kind.BYPASS, NONE, 0);

		static final Landing AGAIN = new Landing(Kind.AGAIN, NONE, 0);

		static final Landing LATE = new Landing(Kind.LATE, NONE, 0);

		static Landing of(byte[] value, long leftMillis) {
			return new Landing(Kind.VALUE, value, leftMillis);
		}

		static Landing expired(byte[] value) {
			return new Landing(Kind.EXPIRED, value, 0);
		}

		enum Kind {

			VALUE, EXPIRED, BYPASS, LATE, AGAIN

		}

	}

}
