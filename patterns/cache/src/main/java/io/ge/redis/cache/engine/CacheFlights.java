// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.ge.redis.cache.settings.CacheSettings;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * Finds values for readers, asynchronously and without blocking.
 * <p>
 * Readers of one entry in this instance share one lookup: the first one asks Redis and
 * loads if Redis says so. The others take its result only if it cannot have been outdated
 * when they came: a hit, or a loaded value that Redis has accepted. A writer of this
 * instance cuts the lookup off, so that callers after its commit do not join it.
 * <p>
 * A lookup that waits for another instance's loader is woken by a message. It asks again
 * when the loader's lease ends, and each second in case the message is lost.
 * <p>
 * A reader that finds a value near its expiry may be chosen to refresh it: the nearer,
 * the likelier, in units of its load time. Random values alone would let readers begin
 * too late, so the expiry counts as {@value #MARGIN} load times earlier.
 */
public final class CacheFlights {

	private static final Duration BACKSTOP = Duration.ofSeconds(1);

	private static final Duration UNHEARD = Duration.ofMillis(100);

	/** After a failure nobody tries to replace a value that stands. */
	static final Duration REST = Duration.ofSeconds(1);

	public static final int MARGIN = 2;

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
	public CacheFlights(RedisCache redis, CacheJournal journal, Consumer<CacheKey> changed) {
		this.redis = redis;
		this.journal = journal;
		this.changed = changed;
		redis.onWake(this::wake, () -> this.waiting.values().forEach(Flight::wake));
	}

	public CallBudget newBudget() {
		return this.redis.newBudget();
	}

	/**
	 * Stores what was loaded with a permit.
	 * @param loaded whether the value is certainly no change of the database; matters for
	 * an open lease
	 * @param age of the loader's transaction when it had the permit, in milliseconds, or
	 * -1 if it is in none
	 */
	public CompletableFuture<CacheFill> fill(CacheLookup.Permit permit, NewValue value, boolean loaded, long age,
			CallBudget budget) {
		Flight flight = (Flight) permit;
		String seen = (loaded && flight.seen != null) ? flight.seen : "";
		return this.redis.fill(flight.key, flight.token, seen, flight.lease, value.bytes(), value.ttl(), age, budget)
			.exceptionally((failure) -> CacheFill.LOST)
			.thenApply((fill) -> {
				if (fill == CacheFill.REMOVED) {
					cutOff(flight.key);
				}
				land(flight, (fill == CacheFill.FILLED) ? found(value) : null);
				return fill;
			});
	}

	private static CacheLookup found(NewValue value) {
		return new CacheLookup.Found(value.bytes(), value.leftMillis(), null, false);
	}

	/**
	 * Releases a permit unused.
	 * @param failed whether the value could not be loaded or stored, so that one that
	 * stands, expired or not, is not replaced for a while
	 */
	public void release(CacheLookup.Permit permit, boolean failed) {
		release(permit, failed ? REST : Duration.ZERO, false);
	}

	/**
	 * Releases a permit whose value was loaded and is not to be stored. An expired value
	 * is removed; a current one is not replaced for a while.
	 */
	public void discard(CacheLookup.Permit permit) {
		release(permit, REST, true);
	}

	private void release(CacheLookup.Permit permit, Duration rest, boolean discard) {
		Flight flight = (Flight) permit;
		this.redis.free(flight.key, flight.token, flight.lease, rest, discard);
		land(flight, null);
	}

	/**
	 * Lets nobody join the flight of an entry any more, which has changed.
	 */
	public void cutOff(CacheKey key) {
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

	/**
	 * Begins to look entries of one cache up.
	 * @param open belongs to the batch from now on
	 * @param all whether these are all entries that the caller wants
	 */
	public CacheBatch batch(List<CacheBatch.Way> open, boolean all, CallBudget budget) {
		return new CacheBatch(this, open, all, budget);
	}

	public CompletableFuture<?> fillAll(List<Loaded> all, CacheSettings settings, long age, CallBudget budget) {
		if (all.size() == 1) {
			return fill(all.get(0).permit, all.get(0).value, true, age, budget);
		}
		List<RedisCache.Filling> fillings = new ArrayList<>(all.size());
		for (Loaded loaded : all) {
			Flight flight = (Flight) loaded.permit;
			fillings.add(new RedisCache.Filling(flight.key, flight.token, loaded.value.bytes(), loaded.value.ttl()));
		}
		return this.redis.fillAll(fillings, settings.leaseTime(), age, budget).thenAccept((filled) -> {
			for (int i = 0; i < all.size(); i++) {
				land((Flight) all.get(i).permit, filled.get(i) ? found(all.get(i).value) : null);
			}
		});
	}

	/**
	 * Returns whether Redis is not to be asked for an entry.
	 */
	boolean isPassedBy(CacheKey key) {
		return this.redis.isAway(key) || this.journal.holds(key);
	}

	Flight newFlight(CacheQuestion question) {
		String token = question.open() ? this.redis.newOpenHandle() : this.redis.newHandle();
		return new Flight(this.ids.incrementAndGet(), question.key(), question.settings().leaseTime(), token);
	}

	/**
	 * Lets others join a flight, and lets it be woken from now on.
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
		flight.land(null);
	}

	/**
	 * Asks Redis for the value of a flight.
	 * @return completes with the answer, never exceptionally
	 */
	CompletableFuture<CacheAnswer> lookup(Flight flight, CacheQuestion question, CallBudget budget) {
		return this.redis.lookup(question, flight.token, flight.id, urge(question), budget)
			.exceptionally((failure) -> new CacheAnswer.Bypass(null));
	}

	/**
	 * Returns how many thousandths of its load time before its expiry a reader replaces a
	 * value, or 0.
	 */
	private static long urge(CacheQuestion question) {
		double beta = question.settings().refreshUrge();
		if (beta == 0 || !question.refreshable()) {
			return 0;
		}
		double dice = -Math.log(1 - ThreadLocalRandom.current().nextDouble());
		return Math.round(1000 * (MARGIN + beta * dice));
	}

	CompletableFuture<List<CacheAnswer>> lookupAll(List<RedisCache.Asking> all, CallBudget budget) {
		return this.redis.lookupAll(all, budget);
	}

	/**
	 * Returns the time after which a waiting caller looks again by itself.
	 */
	Duration backstop() {
		return this.redis.isWoken() ? BACKSTOP : UNHEARD;
	}

	/**
	 * Ends a flight.
	 * @param found what those who joined it get, or {@code null} if they are to ask again
	 */
	void land(Flight flight, @Nullable CacheLookup found) {
		this.flights.remove(flight.key, flight);
		this.waiting.remove(flight.id);
		flight.land(found);
	}

	/**
	 * A value that was loaded, with the permit to store it.
	 */
	public record Loaded(CacheLookup.Permit permit, NewValue value) {
	}

}
