/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.ge.redis.cache.OnLoadTimeout;
import io.ge.redis.cache.engine.CacheLookup.Load;
import io.ge.redis.cache.settings.CacheSettings;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * One caller's way to the values of several entries, in rounds: all that are open are
 * asked for together; what is there is taken, and what the caller may load it loads and
 * stores, in one go; then it waits for what others load, and asks again.
 * <p>
 * It waits for others only when it has no permit any more, and nobody waits for a flight
 * of its that waits itself. So callers whose entries overlap, in whatever order, never
 * wait for each other in a circle.
 * <p>
 * Used by one caller, who awaits each step before the next.
 */
public final class CacheBatch {

	private final CacheFlights flights;

	private final CacheSettings settings;

	private final byte[] readable;

	private final CallBudget budget;

	/** Moved by the time in which the caller loads itself, since that is no waiting. */
	private long deadline;

	private final Map<CacheKey, Way> open = new LinkedHashMap<>();

	CacheBatch(CacheFlights flights, Collection<CacheKey> keys, CacheSettings settings, byte[] readable,
			CallBudget budget) {
		this.flights = flights;
		this.settings = settings;
		this.readable = readable;
		this.budget = budget;
		this.deadline = System.nanoTime() + settings.loadWait().toNanos();
		keys.forEach((key) -> this.open.put(key, new Way(key, false)));
	}

	public boolean isDone() {
		return this.open.isEmpty();
	}

	/**
	 * Opens an entry once more, whose value is of no use and is to be replaced.
	 */
	public void replace(CacheKey key) {
		this.open.put(key, new Way(key, true));
	}

	/**
	 * Asks for what is open.
	 * @return completes with what was found for some of the entries, which are not open
	 * any more; the permits among them must be used or given back before anybody is
	 * waited for
	 */
	public CompletableFuture<Map<CacheKey, CacheLookup>> look() {
		Map<CacheKey, CacheLookup> decided = new LinkedHashMap<>();
		List<Way> asking = new ArrayList<>();
		for (Way way : this.open.values()) {
			CacheLookup lookup = begin(way);
			if (lookup != null) {
				decided.put(way.key, lookup);
			}
			else if (way.own != null) {
				asking.add(way);
			}
		}
		if (asking.isEmpty()) {
			this.open.keySet().removeAll(decided.keySet());
			return CompletableFuture.completedFuture(decided);
		}
		List<RedisCache.Asking> questions = new ArrayList<>(asking.size());
		for (Way way : asking) {
			Flight own = flightOf(way);
			CacheQuestion question = new CacheQuestion(way.key, this.settings, this.readable, false, false);
			questions.add(new RedisCache.Asking(way.replace ? question.replacing() : question, own.token, own.id));
		}
		return this.flights.lookupAll(questions, this.budget).thenApply((answers) -> {
			for (int i = 0; i < answers.size(); i++) {
				Way way = asking.get(i);
				CacheLookup lookup = take(way, answers.get(i));
				if (lookup != null) {
					decided.put(way.key, lookup);
				}
			}
			this.open.keySet().removeAll(decided.keySet());
			return decided;
		});
	}

	private static Flight flightOf(Way way) {
		if (way.own == null) {
			throw new IllegalStateException("Nothing was begun");
		}
		return way.own;
	}

	/**
	 * Begins a flight, or joins the one that is under way in this instance.
	 * @return what is known at once
	 */
	private @Nullable CacheLookup begin(Way way) {
		forget(way);
		Flight joined = way.joined;
		if (joined != null && joined.landed.isDone()) {
			way.joined = null;
			CacheLookup brought = brought(joined.landed.join(), joined.expired);
			if (brought != null) {
				return brought;
			}
			joined = null;
		}
		if (joined == null && this.flights.isPassedBy(way.key)) {
			return Load.BYPASS;
		}
		if (joined == null) {
			Flight own = this.flights.newFlight(way.key, this.settings.leaseTime());
			CompletableFuture<Void> woken = own.arm();
			joined = this.flights.begin(own);
			if (joined == null) {
				way.own = own;
				way.woken = woken;
				return null;
			}
		}
		boolean loading = joined == way.joined || joined.answered.isDone();
		// In this order: what has landed meanwhile is answered as well
		if (loading && isLate() && !joined.landed.isDone()) {
			way.joined = null;
			if (this.settings.onLoadTimeout() == OnLoadTimeout.STALE) {
				// What the other has found may have been replaced since
				way.own = this.flights.newFlight(way.key, this.settings.leaseTime());
				way.woken = way.own.arm();
				return null;
			}
			return late(joined.expired);
		}
		way.joined = joined;
		return null;
	}

	private static @Nullable CacheLookup brought(Landing landing, byte @Nullable [] expired) {
		return switch (landing.kind()) {
			case VALUE -> new CacheLookup.Found(landing.value(), landing.leftMillis(), null, false);
			case EXPIRED -> new CacheLookup.Expired(landing.value());
			case BYPASS -> new Load(null, true, false, expired);
			case LATE, AGAIN -> null;
		};
	}

	private @Nullable CacheLookup take(Way way, CacheAnswer answer) {
		Flight own = flightOf(way);
		if (answer instanceof CacheAnswer.Busy busy) {
			return await(way, own, busy);
		}
		way.own = null;
		if (answer instanceof CacheAnswer.Leased leased) {
			own.expired = leased.expired();
			own.answered.complete(null);
			return new Load(own, false, leased.replaced(), leased.expired());
		}
		if (answer instanceof CacheAnswer.Hit hit) {
			this.flights.land(own, Landing.of(hit.value(), hit.leftMillis()));
			return new CacheLookup.Found(hit.value(), hit.leftMillis(), null, true);
		}
		if (answer instanceof CacheAnswer.Stale stale) {
			this.flights.land(own, Landing.expired(stale.value()));
			return new CacheLookup.Expired(stale.value());
		}
		own.expired = ((CacheAnswer.Bypass) answer).expired();
		this.flights.land(own, Landing.BYPASSED);
		return new Load(null, true, false, own.expired);
	}

	private @Nullable CacheLookup await(Way way, Flight own, CacheAnswer.Busy busy) {
		this.flights.leave(own);
		if (isLate()) {
			forget(way);
			return late(busy.expired());
		}
		way.lease = busy.left();
		return null;
	}

	private boolean isLate() {
		return this.deadline - System.nanoTime() <= 0;
	}

	/**
	 * Notes that the caller has not waited for a time, but loaded.
	 */
	public void loaded(long nanos) {
		this.deadline += nanos;
	}

	private CacheLookup late(byte @Nullable [] expired) {
		return switch (this.settings.onLoadTimeout()) {
			case LOAD -> new Load(null, false, false, expired);
			case STALE -> (expired != null) ? new CacheLookup.Expired(expired) : Load.UNSTORED;
			case FAIL -> new CacheLookup.Late();
		};
	}

	/**
	 * Waits until all that others load should be there, or it is time to look again.
	 */
	public CompletableFuture<Void> settled() {
		List<CompletableFuture<?>> signs = new ArrayList<>();
		List<CompletableFuture<?>> answers = new ArrayList<>();
		long pause = this.deadline - System.nanoTime();
		for (Way way : this.open.values()) {
			if (way.joined != null) {
				signs.add(way.joined.landed);
				answers.add(way.joined.answered(this.budget));
			}
			else if (way.own != null) {
				signs.add(way.woken);
				pause = Math.min(pause, Math.min(way.lease.toNanos(), this.flights.backstop().toNanos()));
			}
			else {
				return CompletableFuture.completedFuture(null);
			}
		}
		return CompletableFuture.allOf(signs.toArray(CompletableFuture[]::new))
			.completeOnTimeout(null, Math.max(0, pause), TimeUnit.NANOSECONDS)
			.thenCompose((none) -> CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)));
	}

	/**
	 * Gives up what is open.
	 */
	public void close() {
		this.open.values().forEach(this::forget);
	}

	private void forget(Way way) {
		if (way.own != null) {
			this.flights.forget(way.own);
			way.own = null;
		}
	}

	/**
	 * How far the caller is with one entry.
	 */
	private static final class Way {

		private final CacheKey key;

		private final boolean replace;

		/** The flight of another caller of this instance. */
		private @Nullable Flight joined;

		/** The caller's own flight, asked for, or waiting for another instance. */
		private @Nullable Flight own;

		private CompletableFuture<Void> woken = new CompletableFuture<>();

		private Duration lease = Duration.ZERO;

		Way(CacheKey key, boolean replace) {
			this.key = key;
			this.replace = replace;
		}

	}

}
