// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.ge.redis.cache.OnLoadTimeout;
import io.ge.redis.cache.internal.engine.CacheHeader;
import io.ge.redis.cache.internal.engine.CacheInvalidations;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheLookup;
import io.ge.redis.cache.internal.engine.CacheLookup.Load;
import io.ge.redis.cache.internal.engine.NearCache;
import io.ge.redis.cache.internal.engine.NewValue;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * Decides for readers, asynchronously and without blocking: a lookup finds a value,
 * brings the permit to load one, or waits for another caller's load; a permit is filled,
 * released or discarded.
 * <p>
 * Readers of one entry in this instance share one lookup: the first one asks Redis, and
 * loads if Redis says so. The others take its result only if it cannot have been outdated
 * when they came: a hit, or a loaded value that Redis has accepted. A writer of this
 * instance cuts the lookup off, so that callers after its commit do not join it.
 * <p>
 * A hit is a {@code GET}: the entry says when it expires and what it was invalidated
 * with. The script answers the rest: a miss, a value that is to be refreshed, and readers
 * that need the exact time.
 * <p>
 * A lookup that waits for another instance's load is woken by a message. It asks again
 * when the lease of that load ends, and each second in case the message is lost.
 * <p>
 * A reader that finds a value near its expiry may be chosen to refresh it: the nearer,
 * the likelier, in units of its load time. Random values alone would let readers begin
 * too late, so the expiry counts as {@value NearCache#MARGIN} load times earlier.
 */
final class CacheLoads {

	private static final Duration BACKSTOP = Duration.ofSeconds(1);

	private static final Duration UNHEARD = Duration.ofMillis(100);

	/** The time after a failed refresh in which no caller tries another one. */
	static final Duration REST = Duration.ofSeconds(1);

	private final RedisCache redis;

	private final CacheJournal journal;

	private final CacheInvalidations invalidations;

	private final Consumer<CacheKey> changed;

	private final Map<CacheKey, InFlightLoad> shared = new ConcurrentHashMap<>();

	private final Map<Long, InFlightLoad> waiting = new ConcurrentHashMap<>();

	private final AtomicLong ids = new AtomicLong();

	/**
	 * Creates the loads of this instance.
	 * @param journal the entries for which Redis is not to be asked
	 * @param changed called with entries that a writer of this instance has changed
	 */
	CacheLoads(RedisCache redis, CacheJournal journal, CacheInvalidations invalidations, Consumer<CacheKey> changed) {
		this.redis = redis;
		this.journal = journal;
		this.invalidations = invalidations;
		this.changed = changed;
		redis.onWake(this::wake, () -> this.waiting.values().forEach(InFlightLoad::wake));
	}

	CallBudget newBudget() {
		return this.redis.newBudget();
	}

	/**
	 * Looks an entry up, and waits for the load of another caller for at most
	 * {@code load-wait}.
	 * @return completes with the result, perhaps on a thread of the driver, never
	 * exceptionally. Its permit must be used or released. Cancelling it ends the wait
	 */
	CompletableFuture<CacheLookup> lookup(Question question, CallBudget budget) {
		Lookup lookup = new Lookup(question, budget);
		lookup.proceed();
		return lookup;
	}

	/**
	 * Looks several entries of one cache up, which waits for no other caller: what others
	 * load is to be loaded, and not stored. The journal holds none of them.
	 * @return completes with the results in the order of the questions, never
	 * exceptionally
	 */
	CompletableFuture<List<CacheLookup>> lookupAll(List<Question> questions, CallBudget budget) {
		if (this.redis.isUnavailable()) {
			return CompletableFuture.completedFuture(Collections.nCopies(questions.size(), Load.BYPASS));
		}
		List<InFlightLoad> loads = questions.stream().map(this::newLoad).toList();
		return this.redis.lookupAll(questions, loads, budget)
			.thenApply((answers) -> answers.stream().map(CacheLoads::unwaited).toList());
	}

	private static CacheLookup unwaited(CacheLookup answer) {
		return (answer instanceof CacheLookup.Busy busy) ? new Load(null, false, false, busy.expired(), false) : answer;
	}

	/**
	 * Stores what was loaded with a permit.
	 * @param loaded whether the value was read from the database; only for an open lease
	 * this may be unknown
	 * @param age of the loader's transaction when it had the permit, in milliseconds, or
	 * -1 if it is in none
	 * @return completes with the outcome, never exceptionally
	 */
	CompletableFuture<CacheFill> fill(CacheLookup.Permit permit, NewValue value, boolean loaded, long age,
			CallBudget budget) {
		InFlightLoad load = (InFlightLoad) permit;
		String seen = (loaded && load.seen != null) ? load.seen : "";
		return this.redis.fill(load.key, load.token, seen, load.lease, value.bytes(), value.ttl(), age, budget)
			.exceptionally((failure) -> CacheFill.LOST)
			.thenApply((fill) -> {
				if (fill == CacheFill.REMOVED) {
					cutOff(load.key);
				}
				end(load, (fill != CacheFill.FILLED) ? null
						: new CacheLookup.Found(value.bytes(), value.leftMillis(), null, false));
				return fill;
			});
	}

	/**
	 * Stores several values that were loaded with permits.
	 * @return completes when that was tried, never exceptionally
	 */
	CompletableFuture<?> fillAll(List<Loaded> all, Duration lease, long age, CallBudget budget) {
		if (all.size() == 1) {
			return fill(all.get(0).permit, all.get(0).value, true, age, budget);
		}
		List<RedisCache.Filling> fillings = new ArrayList<>(all.size());
		for (Loaded loaded : all) {
			InFlightLoad load = (InFlightLoad) loaded.permit;
			fillings.add(new RedisCache.Filling(load.key, load.token, loaded.value.bytes(), loaded.value.ttl()));
		}
		return this.redis.fillAll(fillings, lease, age, budget);
	}

	/**
	 * Releases a permit unused.
	 * @param failed whether the value could not be loaded or stored, so that an existing
	 * one, expired or not, is not replaced for a while
	 */
	void release(CacheLookup.@Nullable Permit permit, boolean failed) {
		release(permit, failed ? REST : Duration.ZERO, false);
	}

	/**
	 * Releases a permit whose value was loaded and is not to be stored. An expired value
	 * is removed; a current one is not replaced for a while.
	 */
	void discard(CacheLookup.@Nullable Permit permit) {
		release(permit, REST, true);
	}

	private void release(CacheLookup.@Nullable Permit permit, Duration rest, boolean discard) {
		if (permit instanceof InFlightLoad load) {
			this.redis.free(load.key, load.token, load.lease, rest, discard);
			end(load, null);
		}
	}

	/**
	 * Keeps later readers of an entry, which has changed, from joining the lookup in
	 * flight.
	 */
	void cutOff(CacheKey key) {
		this.changed.accept(key);
		InFlightLoad load = this.shared.remove(key);
		if (load != null) {
			load.wake();
		}
	}

	private void wake(long id) {
		InFlightLoad load = this.waiting.get(id);
		if (load != null) {
			load.wake();
		}
	}

	private boolean isBypassed(CacheKey key) {
		return this.redis.isUnavailable(key) || this.journal.holds(key);
	}

	private InFlightLoad newLoad(Question question) {
		String token = question.open() ? this.redis.newOpenHandle() : this.redis.newHandle();
		return new InFlightLoad(this.ids.incrementAndGet(), question.key(), question.settings().leaseTime(), token);
	}

	/**
	 * Ends a load.
	 * @param found the result for readers that joined, or {@code null} if they are to ask
	 * again
	 */
	private void end(InFlightLoad load, @Nullable CacheLookup found) {
		this.shared.remove(load.key, load);
		this.waiting.remove(load.id);
		load.complete(found);
	}

	/**
	 * Returns how many thousandths of its load time before its expiry a reader replaces a
	 * value, or 0.
	 */
	private static long refreshLead(Question question) {
		double beta = question.settings().refreshBeta();
		if (beta == 0 || !question.refreshable()) {
			return 0;
		}
		double random = -Math.log(1 - ThreadLocalRandom.current().nextDouble());
		return Math.round(1000 * (NearCache.MARGIN + beta * random));
	}

	/**
	 * A value that was loaded, with the permit to store it.
	 */
	record Loaded(CacheLookup.Permit permit, NewValue value) {
	}

	/**
	 * One reader's way to its result. Its steps follow one another.
	 */
	private final class Lookup extends CompletableFuture<CacheLookup> {

		private final Question question;

		private final CacheSettings settings;

		private final CallBudget budget;

		private final long deadline;

		private final long refreshLead;

		/** The load of another reader of this instance. */
		private @Nullable InFlightLoad joined;

		/** The load of this reader, which may wait for another instance. */
		private volatile @Nullable InFlightLoad own;

		Lookup(Question question, CallBudget budget) {
			this.question = question;
			this.settings = question.settings();
			this.budget = budget;
			this.deadline = System.nanoTime() + this.settings.loadWait().toNanos();
			this.refreshLead = refreshLead(question);
		}

		/**
		 * Joins the load of the entry in this instance, or begins it.
		 */
		void proceed() {
			InFlightLoad other = this.joined;
			if (other != null && other.result.isDone()) {
				CacheLookup found = other.result.join();
				if (found != null) {
					complete(found);
					return;
				}
				this.joined = null;
				other = null;
			}
			if (isDone()) {
				return;
			}
			if (other == null) {
				if (isBypassed(this.question.key())) {
					complete(Load.BYPASS);
					return;
				}
				InFlightLoad load = newLoad(this.question);
				other = CacheLoads.this.shared.putIfAbsent(load.key, load);
				if (other == null) {
					CacheLoads.this.waiting.put(load.id, load);
					ask(load);
					return;
				}
			}
			boolean loading = other == this.joined || other.answered.isDone();
			// In this order: a result that has come meanwhile counts
			if (!loading || !isLate() || other.result.isDone()) {
				this.joined = other;
				other.await(Math.max(0, left()), this.budget).whenComplete((done, failure) -> proceed());
			}
			else if (this.settings.onLoadTimeout() == OnLoadTimeout.STALE) {
				// The expired value that the other one knows may have been replaced since
				ask(newLoad(this.question));
			}
			else {
				complete(late(other.expired));
			}
		}

		private void ask(InFlightLoad load) {
			this.own = load;
			long now = this.question.gets() ? CacheLoads.this.invalidations.serverMillis(load.key.cache()) : 0;
			CompletableFuture<CacheLookup> answer = (now != 0)
					? CacheLoads.this.redis.get(load.key, this.budget).thenCompose((entry) -> take(load, entry, now))
					: script(load);
			answer.exceptionally((failure) -> Load.BYPASS).thenAccept((found) -> answered(load, found));
		}

		/**
		 * Takes an entry that is readable, current and not to be refreshed. Everything
		 * else is left to the script, which knows the time.
		 */
		private CompletableFuture<CacheLookup> take(InFlightLoad load, byte @Nullable [] entry, long now) {
			long left = (entry != null && this.question.isReadable(entry)) ? CacheHeader.leftMillis(entry, now) : 0;
			if (entry == null || left == 0
					|| (left > 0 && left * 1000 <= CacheHeader.loadMillis(entry) * this.refreshLead)) {
				return script(load);
			}
			return CompletableFuture.completedFuture(new CacheLookup.Found(entry, left, null, true));
		}

		private CompletableFuture<CacheLookup> script(InFlightLoad load) {
			return CacheLoads.this.redis.lookup(this.question, load, this.refreshLead, this.budget);
		}

		private void answered(InFlightLoad load, CacheLookup found) {
			if (found instanceof CacheLookup.Busy busy) {
				await(load, busy);
				return;
			}
			if (found instanceof Load leased && leased.permit() != null && !this.question.open()) {
				load.answered.complete(null);
			}
			else if (found instanceof Load leased && leased.permit() != null) {
				end(load, null);
			}
			else {
				end(load, (found instanceof CacheLookup.Found hit)
						? new CacheLookup.Found(hit.value(), hit.leftMillis(), null, false) : found);
			}
			if (!complete(found)) {
				release(found.permit(), false);
			}
		}

		private void await(InFlightLoad load, CacheLookup.Busy busy) {
			load.expired = busy.expired();
			load.answered.complete(null);
			if (isDone() || isLate()) {
				end(load, null);
				complete(late(busy.expired()));
				return;
			}
			Duration backstop = CacheLoads.this.redis.isWoken() ? BACKSTOP : UNHEARD;
			long pause = Math.min(left(), Math.min(busy.left().toNanos(), backstop.toNanos()));
			load.woken.completeOnTimeout(null, Math.max(0, pause), TimeUnit.NANOSECONDS).thenRun(() -> {
				if (isDone()) {
					end(load, null);
					return;
				}
				// Before the question, so that no message is missed
				load.woken = new CompletableFuture<>();
				ask(load);
			});
		}

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			boolean cancelled = super.cancel(mayInterruptIfRunning);
			InFlightLoad load = this.own;
			if (load != null) {
				load.wake();
			}
			return cancelled;
		}

		private long left() {
			return this.deadline - System.nanoTime();
		}

		private boolean isLate() {
			return left() <= 0;
		}

		private CacheLookup late(byte @Nullable [] expired) {
			return switch (this.settings.onLoadTimeout()) {
				case LOAD -> new Load(null, false, false, expired, false);
				case STALE -> (expired != null) ? new CacheLookup.Expired(expired) : Load.UNSTORED;
				case FAIL -> new CacheLookup.Late();
			};
		}

	}

	/**
	 * The lookup of one entry by this instance, which its readers share, and the permit
	 * that it may bring.
	 */
	static final class InFlightLoad implements CacheLookup.Permit {

		final Long id;

		final CacheKey key;

		final Duration lease;

		/** Token of the lease; another one's where the lease is shared. */
		volatile String token;

		/** The writers before an open lease, as Redis has shown them. */
		volatile @Nullable String seen;

		/** The result for readers that joined, {@code null} if they are to ask again. */
		final CompletableFuture<@Nullable CacheLookup> result = new CompletableFuture<>();

		/** Completes when Redis has said whether a value must be awaited. */
		final CompletableFuture<Void> answered = new CompletableFuture<>();

		volatile CompletableFuture<Void> woken = new CompletableFuture<>();

		/** An expired value for callers that cannot wait any longer. */
		volatile byte @Nullable [] expired;

		InFlightLoad(long id, CacheKey key, Duration lease, String token) {
			this.id = id;
			this.key = key;
			this.lease = lease;
			this.token = token;
		}

		@Override
		public Duration lease() {
			return this.lease;
		}

		void wake() {
			this.woken.complete(null);
		}

		void complete(@Nullable CacheLookup found) {
			this.result.complete(found);
			this.answered.complete(null);
		}

		/**
		 * Waits for the result until a deadline, and then until it is known whether this
		 * load waits itself: before that it keeps no caller longer than a hit does.
		 */
		CompletableFuture<?> await(long nanos, CallBudget budget) {
			return this.result.<@Nullable Void>thenApply((found) -> null)
				.completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS)
				.thenCompose((none) -> this.answered.isDone() ? this.answered : this.answered.copy()
					.completeOnTimeout(null, Math.max(0, budget.remainingNanos()), TimeUnit.NANOSECONDS));
		}

	}

	/**
	 * The request of a reader.
	 *
	 * @param readable the first bytes of values that it can read
	 * @param replace whether to load whatever is there
	 * @param timed whether it needs the exact time to the expiry
	 * @param refreshable whether it could replace a value before its expiry
	 * @param open whether it may never report how its load has ended, so that no reader
	 * is to wait for it
	 */
	record Question(CacheKey key, CacheSettings settings, ByteBuffer readable, boolean replace, boolean timed,
			boolean refreshable, boolean open) {

		/**
		 * Returns whether a {@code GET} is enough for a hit.
		 */
		boolean gets() {
			return !this.replace && !this.timed;
		}

		boolean isReadable(byte[] entry) {
			byte[] first = this.readable.array();
			return entry.length >= first.length && Arrays.equals(entry, 0, first.length, first, 0, first.length);
		}

	}

}
