// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.behind;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.cache.WriteBehindEvent;
import io.ge.redis.cache.WriteBehindProperties;
import io.ge.redis.cache.internal.behind.RedisWriteBehind.Settling;
import io.ge.redis.cache.internal.behind.StoreWriter.Written;
import io.ge.redis.cache.internal.behind.WaitingChange.Settled;
import io.ge.redis.cache.internal.behind.WaitingChange.Settled.Outcome;
import io.ge.redis.core.consume.Delivery;
import io.ge.redis.core.consume.Settlement;
import io.ge.redis.core.consume.WorkHandler;
import io.ge.redis.core.consume.WorkSource;
import io.ge.redis.core.event.FailureText;
import io.ge.redis.core.outage.Waiting;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Changes that wait for their stores, as work of a consumer. A delivery is some changes
 * of one partition. A partition has one delivery at a time, so that changes of a key are
 * written in the order of their versions.
 * <p>
 * Partitions are asked for when a message names them or they are due, and all of them
 * every third of the lease. Nothing is given to the store near the end of the lease.
 */
final class RedisWriteBehindSource
		implements WorkSource<RedisWriteBehindSource.Batch>, WorkHandler<RedisWriteBehindSource.Batch> {

	private static final Log logger = LogFactory.getLog(RedisWriteBehindSource.class);

	/** Number of times that a lease is extended within its time. */
	private static final int EXTENSIONS = 3;

	/** After how many outages in a row it is asked whether changes are to blame. */
	private static final int DOUBTFUL = 3;

	/** Number of leases after which a call of the store is reported as slow. */
	private static final int SLOW = 3;

	/** Time between two reads of a partition that Redis did not answer for. */
	private static final Duration RETRY = Duration.ofMillis(500);

	private final RedisWriteBehind redis;

	private final WriteBehindProperties properties;

	private final Consumer<WriteBehindEvent> events;

	private final Map<String, List<State>> partitions = new LinkedHashMap<>();

	/** The partitions to be asked for, and when, by the system's nano time. */
	private final Map<State, Long> scheduled = new ConcurrentHashMap<>();

	private final AtomicLong deliveries = new AtomicLong();

	private final long lease;

	private volatile long scheduledAllAt;

	private volatile boolean draining;

	/**
	 * Creates the source.
	 * @param writers the writers to the stores, by cache
	 * @param events gets the outcome of changes
	 */
	RedisWriteBehindSource(RedisWriteBehind redis, WriteBehindProperties properties,
			Map<String, StoreWriter<?>> writers, Consumer<WriteBehindEvent> events) {
		this.redis = redis;
		this.properties = properties;
		this.events = events;
		this.lease = properties.leaseTime().toNanos();
		writers.forEach((cache, writer) -> {
			List<State> all = new ArrayList<>();
			for (int i = 0; i < RedisWriteBehind.PARTITIONS; i++) {
				all.add(new State(new Partition(cache, i), writer));
			}
			this.partitions.put(cache, List.copyOf(all));
		});
		scheduleAll();
	}

	@Override
	public String name() {
		return "write-behind";
	}

	/**
	 * Returns how many keys of a cache waited when this was last heard of.
	 */
	long waiting(String cache) {
		return this.partitions.getOrDefault(cache, List.of()).stream().mapToLong((state) -> state.waiting).sum();
	}

	// Times of reads

	/**
	 * Schedules a read of a partition, with the next take after more changes may have
	 * come together.
	 */
	void rung(String cache, int partition) {
		List<State> states = this.partitions.get(cache);
		if (states != null) {
			schedule(states.get(partition), this.properties.linger());
		}
	}

	void scheduleAll() {
		this.scheduledAllAt = System.nanoTime();
		this.partitions.values().forEach((states) -> states.forEach((state) -> schedule(state, Duration.ZERO)));
	}

	/**
	 * Gives all that this instance can write now, without waiting for more.
	 */
	void drain() {
		this.draining = true;
		scheduleAll();
	}

	private void schedule(State state, @Nullable Duration delay) {
		if (delay != null) {
			long at = System.nanoTime() + delay.toNanos();
			// A store that is unavailable is left alone, but for a last attempt
			long allowed = (!this.draining && state.restUntil - at > 0) ? state.restUntil : at;
			this.scheduled.merge(state, allowed, (one, other) -> (one - other < 0) ? one : other);
		}
	}

	// Taking

	@Override
	public CompletionStage<TakenWork<Batch>> take(int most, boolean reclaim, Collection<Delivery<Batch>> inFlight) {
		// The container also says so when something is due
		if (reclaim && System.nanoTime() - this.scheduledAllAt > this.lease / (EXTENSIONS + 1)) {
			scheduleAll();
		}
		Queue<Delivery<Batch>> taken = new ConcurrentLinkedQueue<>();
		return all(due(most).stream().map((state) -> ask(state, taken)))
			.thenApply((asked) -> taken(List.copyOf(taken)));
	}

	// Those first that are due for longest
	private List<State> due(int most) {
		long now = System.nanoTime();
		List<State> due = this.scheduled.entrySet()
			.stream()
			.filter((each) -> !each.getKey().inFlight && each.getValue() - now <= 0)
			.sorted(Comparator.comparingLong((each) -> each.getValue() - now))
			.limit(most)
			.map(Map.Entry::getKey)
			.toList();
		due.forEach(this.scheduled::remove);
		return due;
	}

	private TakenWork<Batch> taken(List<Delivery<Batch>> taken) {
		long now = System.nanoTime();
		long next = Long.MAX_VALUE;
		for (Map.Entry<State, Long> each : this.scheduled.entrySet()) {
			next = each.getKey().inFlight ? next : Math.min(next, Math.max(0, each.getValue() - now));
		}
		return new TakenWork<>(taken, next == 0, (next != Long.MAX_VALUE) ? Duration.ofNanos(next) : null);
	}

	private CompletableFuture<?> ask(State state, Queue<Delivery<Batch>> taken) {
		long asked = System.nanoTime();
		return this.redis.take(state.partition, this.properties.leaseTime(), this.properties.batchSize())
			.handle((take, failure) -> {
				if (failure != null) {
					failed(state, failure);
					return state;
				}
				state.waiting = take.waiting();
				if (take.changes().isEmpty()) {
					schedule(state, take.more() ? Duration.ZERO : take.due());
					return state;
				}
				state.heldUntil = asked + this.lease;
				state.begunAt = asked;
				state.warnedSlow = false;
				state.inFlight = true;
				taken.add(new Delivery<>(String.valueOf(state.partition.number()), state.partition.cache(), 1,
						String.valueOf(this.deliveries.incrementAndGet()), new Batch(state, take)));
				return state;
			});
	}

	// In an outage the others do not wait, and all are read when it is over
	private void failed(State state, Throwable failure) {
		Throwable cause = Waiting.cause(failure);
		if (!(cause instanceof RedisUnavailableException)) {
			logger.warn("Changes of cache '" + state.partition.cache() + "' could not be taken or settled: " + cause);
		}
		schedule(state, RETRY);
	}

	// Writing

	@Override
	public CompletionStage<Written> handle(List<Delivery<Batch>> deliveries,
			BatchAcknowledgment<Batch> acknowledgment) {
		Batch batch = deliveries.get(0).message();
		State state = batch.state();
		return CompletableFuture.completedFuture(state.writer.write(batch.take().changes(),
				() -> state.heldUntil - System.nanoTime() > this.lease / EXTENSIONS, state.outages >= DOUBTFUL));
	}

	/**
	 * Extends the leases. One that is lost ends the writing, and is then refused when it
	 * is settled.
	 */
	@Override
	public CompletionStage<Collection<Delivery<Batch>>> heartbeat(Collection<Delivery<Batch>> inFlight) {
		return all(inFlight.stream().map((delivery) -> extend(delivery.message().state())))
			.thenApply((all) -> List.of());
	}

	private CompletableFuture<?> extend(State state) {
		long asked = System.nanoTime();
		if (asked - state.begunAt > SLOW * this.lease && !state.warnedSlow) {
			state.warnedSlow = true;
			logger.warn("The store of cache '" + state.partition.cache() + "' has been writing for " + SLOW
					+ " leases. Its partition waits until it returns: set timeouts for its calls");
		}
		return this.redis.extend(state.partition, this.properties.leaseTime()).handle((held, failure) -> {
			if (failure == null) {
				state.heldUntil = held ? asked + this.lease : asked;
			}
			return state;
		});
	}

	// Settling

	/**
	 * Says what became of changes. If Redis does not take that, they are given again.
	 */
	@Override
	public CompletionStage<Collection<Delivery<Batch>>> settle(List<Settlement<Batch>> settlements) {
		return all(settlements.stream().map(this::settle)).thenApply((all) -> List.of());
	}

	private CompletableFuture<?> settle(Settlement<Batch> settlement) {
		Batch batch = settlement.delivery().message();
		State state = batch.state();
		if (settlement.result() instanceof Written written) {
			CompletableFuture<Settling> settled = written.settled().isEmpty()
					? CompletableFuture.completedFuture(new Settling(true, state.waiting, null))
					: this.redis.settle(state.partition, this.properties, written.settled());
			return settled.handle((settling, failure) -> {
				try {
					if (failure != null) {
						failed(state, failure);
					}
					else {
						settled(batch, written, settling);
					}
				}
				finally {
					state.inFlight = false;
				}
				return state;
			});
		}
		if (settlement.outcome() != Settlement.Outcome.RELEASE) {
			// It is read again with all others
			state.inFlight = false;
			Throwable failure = settlement.failure();
			logger.warn("Changes of cache '" + state.partition.cache() + "' could not be written"
					+ ((failure != null) ? ": " + FailureText.of(failure) : ""));
			return CompletableFuture.completedFuture(null);
		}
		return release(state).thenRun(() -> {
			schedule(state, Duration.ZERO);
			state.inFlight = false;
		});
	}

	private void settled(Batch batch, Written written, Settling settling) {
		State state = batch.state();
		if (settling.held()) {
			state.waiting = settling.waiting();
			publishEvents(state, written.settled());
		}
		if (written.outage() != null) {
			rest(state, batch.take().changes().size() - written.settled().size(), written.outage());
			return;
		}
		state.outages = 0;
		if (this.draining || !settling.held() || batch.take().more()) {
			schedule(state, Duration.ZERO);
		}
		else if (settling.waiting() > 0) {
			schedule(state, this.properties.linger());
			schedule(state, settling.due());
		}
	}

	private void rest(State state, int left, Throwable outage) {
		state.outages = state.outages + 1;
		if (state.outages == 1) {
			logger.warn("The store of cache '" + state.partition.cache() + "' is unavailable, its changes wait: "
					+ FailureText.of(outage));
		}
		publishEvent(state, WriteBehindEvent.Outcome.RETRIED, left);
		Duration delay = this.properties.delay(state.outages);
		state.restUntil = System.nanoTime() + delay.toNanos();
		this.scheduled.remove(state);
		if (!this.draining) {
			schedule(state, delay);
		}
	}

	private void publishEvents(State state, List<Settled> settled) {
		for (Outcome outcome : Outcome.values()) {
			long count = settled.stream().filter((each) -> each.outcome() == outcome).count();
			if (count > 0) {
				publishEvent(state, switch (outcome) {
					case DONE -> WriteBehindEvent.Outcome.WRITTEN;
					case RETRY -> WriteBehindEvent.Outcome.RETRIED;
					case DEAD -> WriteBehindEvent.Outcome.DEAD;
				}, count);
			}
		}
	}

	private void publishEvent(State state, WriteBehindEvent.Outcome outcome, long count) {
		this.events.accept(new WriteBehindEvent(state.partition.cache(), outcome, count));
	}

	@Override
	public boolean isOrdered() {
		return true;
	}

	@Override
	public CompletionStage<?> leave() {
		return all(this.partitions.values().stream().flatMap(List::stream).map(this::release));
	}

	// Without an answer the lease ends by itself
	private CompletableFuture<?> release(State state) {
		return this.redis.release(state.partition).handle((released, failure) -> {
			state.heldUntil = System.nanoTime();
			return state;
		});
	}

	private static CompletableFuture<Void> all(Stream<? extends CompletableFuture<?>> calls) {
		return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new));
	}

	/**
	 * Some changes of a partition.
	 */
	record Batch(State state, RedisWriteBehind.Take take) {
	}

	/**
	 * A partition, as this instance knows it.
	 */
	static final class State {

		private final Partition partition;

		private final StoreWriter<?> writer;

		private volatile boolean inFlight;

		private volatile long waiting;

		/** By the system's nano time; known to be held until then. */
		private volatile long heldUntil = System.nanoTime();

		/** By the system's nano time; until then the store is left alone. */
		private volatile long restUntil = System.nanoTime();

		/** By the system's nano time; when its changes were taken. */
		private volatile long begunAt;

		private volatile boolean warnedSlow;

		/** Number of consecutive attempts at which the store was unavailable. */
		private volatile int outages;

		State(Partition partition, StoreWriter<?> writer) {
			this.partition = partition;
			this.writer = writer;
		}

	}

}
