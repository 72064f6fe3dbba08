// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.ge.redis.cache.OnLoadTimeout;
import io.ge.redis.cache.engine.CacheLookup.Load;
import io.ge.redis.cache.settings.CacheSettings;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * One caller's lookups of entries of one cache, in rounds: it asks for all open entries
 * together, takes what is there, loads and stores what it has permits for, waits for what
 * others load, and asks again. Used by one caller, step by step.
 * <p>
 * The caller waits only when it has no permit any more, and no caller waits for a lookup
 * of several entries that waits itself. So callers whose entries overlap never wait for
 * each other in a circle.
 */
public final class CacheBatch {

	private final CacheFlights flights;

	private final CacheSettings settings;

	private final CallBudget budget;

	/**
	 * Whether nothing but one entry is wanted, whose load others in this instance may
	 * join: the caller waits for it as they do.
	 */
	private final boolean single;

	/** Moved by the time in which the caller loads itself, since that is no waiting. */
	private long deadline;

	private final List<Way> open;

	CacheBatch(CacheFlights flights, List<Way> open, boolean all, CallBudget budget) {
		this.flights = flights;
		this.settings = open.get(0).question.settings();
		this.budget = budget;
		this.single = all && open.size() == 1;
		this.deadline = System.nanoTime() + this.settings.loadWait().toNanos();
		this.open = open;
	}

	public boolean isDone() {
		return this.open.isEmpty();
	}

	/**
	 * Opens an entry once more, whose value is of no use and is to be replaced.
	 */
	public void replace(CacheQuestion question) {
		this.open.add(new Way(question.replacing()));
	}

	/**
	 * Asks for the open entries.
	 * @return completes with what was found for some of the entries, which are not open
	 * any more; the permits among them must be used or released before the caller waits
	 * for others
	 */
	public CompletableFuture<List<Decided>> look() {
		for (Way way : this.open) {
			way.decided = begin(way);
		}
		if (this.open.size() == 1 && this.open.get(0).isAsking()) {
			return lookOne(this.open.get(0));
		}
		List<Way> asking = this.open.stream().filter(Way::isAsking).toList();
		if (asking.isEmpty()) {
			return CompletableFuture.completedFuture(decided());
		}
		if (asking.size() == 1) {
			return lookOne(asking.get(0));
		}
		List<RedisCache.Asking> questions = new ArrayList<>(asking.size());
		for (Way way : asking) {
			Flight own = flightOf(way);
			questions.add(new RedisCache.Asking(way.question, own.token, own.id));
		}
		return this.flights.lookupAll(questions, this.budget).thenApply((answers) -> {
			for (int i = 0; i < answers.size(); i++) {
				Way way = asking.get(i);
				way.decided = take(way, answers.get(i));
			}
			return decided();
		});
	}

	private CompletableFuture<List<Decided>> lookOne(Way way) {
		return this.flights.lookup(flightOf(way), way.question, this.budget).thenApply((answer) -> {
			way.decided = take(way, answer);
			return decided();
		});
	}

	private List<Decided> decided() {
		Way only = (this.open.size() == 1) ? this.open.get(0) : null;
		if (only != null && only.decided != null) {
			this.open.clear();
			return List.of(new Decided(only.question.key(), only.decided));
		}
		List<Decided> decided = new ArrayList<>(this.open.size());
		for (Way way : this.open) {
			if (way.decided != null) {
				decided.add(new Decided(way.question.key(), way.decided));
			}
		}
		this.open.removeIf((way) -> way.decided != null);
		return decided;
	}

	private static Flight flightOf(Way way) {
		if (way.own == null) {
			throw new IllegalStateException("Nothing was begun");
		}
		return way.own;
	}

	/**
	 * Begins an in-flight load, or joins the one of the entry in this instance.
	 */
	private @Nullable CacheLookup begin(Way way) {
		if (this.single && way.own != null) {
			way.own.arm();
			return null;
		}
		forget(way);
		Flight joined = way.joined;
		if (joined != null && joined.landed.isDone()) {
			way.joined = null;
			CacheLookup brought = joined.landed.join();
			if (brought != null) {
				return brought;
			}
			joined = null;
		}
		if (joined == null && this.flights.isPassedBy(way.question.key())) {
			return Load.BYPASS;
		}
		if (joined == null) {
			Flight own = this.flights.newFlight(way.question);
			joined = this.flights.begin(own);
			if (joined == null) {
				way.own = own;
				return null;
			}
		}
		boolean loading = joined == way.joined || joined.answered.isDone();
		// In this order: what has landed meanwhile is answered as well
		if (loading && isLate() && !joined.landed.isDone()) {
			way.joined = null;
			if (this.settings.onLoadTimeout() == OnLoadTimeout.STALE) {
				// What the other has found may have been replaced since
				way.own = this.flights.newFlight(way.question);
				return null;
			}
			return late(joined.expired);
		}
		way.joined = joined;
		return null;
	}

	private @Nullable CacheLookup take(Way way, CacheAnswer answer) {
		Flight own = flightOf(way);
		if (answer instanceof CacheAnswer.Busy busy) {
			return await(way, own, busy);
		}
		way.own = null;
		if (answer instanceof CacheAnswer.Leased leased) {
			own.expired = leased.expired();
			own.seen = leased.seen();
			if (leased.shared() != null) {
				own.token = leased.shared();
			}
			if (way.question.open()) {
				this.flights.land(own, null);
			}
			own.answered.complete(null);
			return new Load(own, false, leased.replaced(), leased.expired(), false);
		}
		if (answer instanceof CacheAnswer.Hit hit) {
			this.flights.land(own, new CacheLookup.Found(hit.value(), hit.leftMillis(), null, false));
			return new CacheLookup.Found(hit.value(), hit.leftMillis(), hit.refreshing() ? own : null, true);
		}
		CacheLookup found = (answer instanceof CacheAnswer.Stale stale) ? new CacheLookup.Expired(stale.value())
				: new Load(null, true, false, ((CacheAnswer.Bypass) answer).expired(), false);
		this.flights.land(own, found);
		return found;
	}

	private @Nullable CacheLookup await(Way way, Flight own, CacheAnswer.Busy busy) {
		own.expired = busy.expired();
		own.answered.complete(null);
		if (!this.single) {
			this.flights.leave(own);
		}
		if (isLate()) {
			this.flights.land(own, null);
			way.own = null;
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
	 * @param nanos the time
	 */
	public void loaded(long nanos) {
		this.deadline += nanos;
	}

	private CacheLookup late(byte @Nullable [] expired) {
		return switch (this.settings.onLoadTimeout()) {
			case LOAD -> new Load(null, false, false, expired, false);
			case STALE -> (expired != null) ? new CacheLookup.Expired(expired) : Load.UNSTORED;
			case FAIL -> new CacheLookup.Late();
		};
	}

	/**
	 * Waits until all that others load should be there, or it is time to look again.
	 */
	public CompletableFuture<Void> settled() {
		List<CompletableFuture<?>> signs = new ArrayList<>(this.open.size());
		List<CompletableFuture<?>> answers = new ArrayList<>(this.open.size());
		long pause = this.deadline - System.nanoTime();
		for (Way way : this.open) {
			if (way.joined != null) {
				signs.add(way.joined.landed);
				answers.add(way.joined.answered(this.budget));
			}
			else if (way.own != null) {
				signs.add(way.own.woken);
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

	public void close() {
		this.open.forEach(this::forget);
	}

	private void forget(Way way) {
		if (way.own != null) {
			this.flights.land(way.own, null);
			way.own = null;
		}
	}

	/**
	 * The result for an entry of the batch.
	 */
	public record Decided(CacheKey key, CacheLookup lookup) {
	}

	/**
	 * An entry on its way from the question to what is found.
	 */
	public static final class Way {

		private final CacheQuestion question;

		/** The in-flight load of another caller of this instance. */
		private @Nullable Flight joined;

		/** The caller's own one, asked for, or waiting for another instance. */
		private @Nullable Flight own;

		private @Nullable CacheLookup decided;

		private Duration lease = Duration.ZERO;

		public Way(CacheQuestion question) {
			this.question = question;
		}

		private boolean isAsking() {
			return this.decided == null && this.own != null;
		}

	}

}
