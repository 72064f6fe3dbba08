// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.behind;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.cache.WriteBehindEvent;
import io.ge.redis.cache.WriteBehindEvent.Outcome;
import io.ge.redis.cache.WriteBehindProperties;
import io.ge.redis.cache.internal.behind.RedisWriteBehind.Partition;
import io.ge.redis.cache.internal.behind.RedisWriteBehind.Settled;
import io.ge.redis.cache.internal.behind.RedisWriteBehind.Settling;
import io.ge.redis.cache.internal.behind.RedisWriteBehind.Take;
import io.ge.redis.cache.internal.behind.StoreWriter.Written;
import io.ge.redis.core.consume.ConsumerContainer;
import io.ge.redis.core.consume.ConsumerSettings;
import io.ge.redis.core.consume.ConsumerThreads;
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
		implements WorkSource<RedisWriteBehindSource.State>, WorkHandler<RedisWriteBehindSource.State> {

	private static final Log logger = LogFactory.getLog(RedisWriteBehindSource.class);

	/** Number of times that a lease is extended within its time. */
	private static final int EXTENSIONS = 3;

	/** After how many outages in a row it is asked whether changes are to blame. */
	private static final int DOUBTFUL = 3;

	/** Number of extensions after which a call of the store is reported as slow. */
	private static final int SLOW = 3 * EXTENSIONS;

	/** Time between two reads of a partition that Redis did not answer for. */
	private static final Duration RETRY = Duration.ofMillis(500);

	private static final long NEVER = Long.MAX_VALUE;

	private final RedisWriteBehind redis;

	private final WriteBehindProperties properties;

	private final Consumer<WriteBehindEvent> events;

	private final ConsumerContainer<State> container;

	private final long lease;

	private final long origin = System.nanoTime();

	/** The partitions that were taken last come last. */
	private volatile List<State> states = new ArrayList<>();

	private volatile long scheduledAllAt;

	private volatile boolean draining;

	/**
	 * Creates the source, and the container that runs it.
	 * @param writers the writers to the stores, by cache
	 */
	RedisWriteBehindSource(RedisWriteBehind redis, WriteBehindProperties properties,
			Map<String, StoreWriter<?>> writers, Consumer<WriteBehindEvent> events, ConsumerThreads threads) {
		this.redis = redis;
		this.properties = properties;
		this.events = events;
		this.lease = properties.leaseTime().toNanos();
		for (int i = 0; i < RedisWriteBehind.PARTITIONS; i++) {
			int number = i;
			writers.forEach((cache, writer) -> this.states.add(new State(new Partition(cache, number), writer)));
		}
		Duration drain = properties.drainTimeout();
		this.container = new ConsumerContainer<>(this, this, new ConsumerSettings(properties.threads(), 1,
				properties.leaseTime(), Duration.ZERO, false, drain, drain, true, null), threads, null);
		redis.onWake((cache, number) -> {
			// With the next take after more changes may have come together
			of(cache).filter((state) -> state.partition.number() == number)
				.forEach((state) -> schedule(state, properties.linger()));
			this.container.wake();
		});
		redis.onRecovery(() -> {
			scheduleAll();
			this.container.wake();
		});
	}

	/**
	 * Starts, perhaps after a stop. A call of the store that has not returned since keeps
	 * its partition, so that no partition is written twice at a time.
	 */
	void start() {
		this.draining = false;
		for (State state : this.states) {
			state.restUntil = 0;
			state.outages = 0;
			if (state.isInFlight()) {
				logger.warn("A call of the store of cache '" + state.partition.cache()
						+ "' has been writing since before the stop."
						+ " Its partition and its thread wait until it returns: set timeouts for its calls");
			}
		}
		scheduleAll();
		this.container.start();
	}

	/**
	 * Writes all that this instance can write now, without waiting for more, and stops.
	 */
	void stop() {
		if (!this.properties.drainTimeout().isZero()) {
			this.draining = true;
			scheduleAll();
		}
		this.container.stop().join();
	}

	@Override
	public String name() {
		return "write-behind";
	}

	long waiting(String cache) {
		return of(cache).mapToLong((state) -> state.waiting).sum();
	}

	private Stream<State> of(String cache) {
		return this.states.stream().filter((state) -> state.partition.cache().equals(cache));
	}

	// Times of reads, all in nanoseconds after the origin

	private long now() {
		return System.nanoTime() - this.origin;
	}

	private void scheduleAll() {
		this.scheduledAllAt = now();
		this.states.forEach((state) -> schedule(state, Duration.ZERO));
	}

	private State schedule(State state, @Nullable Duration delay) {
		if (delay != null) {
			state.scheduledAt.accumulateAndGet(now() + delay.toNanos(), Math::min);
		}
		return state;
	}

	// A store that is unavailable is left alone, but for a last attempt
	private long dueAt(State state) {
		long at = state.isInFlight() ? NEVER : state.scheduledAt.get();
		return this.draining ? at : Math.max(at, state.restUntil);
	}

	// Taking

	@Override
	public CompletionStage<TakenWork<State>> take(int most, boolean reclaim, Collection<Delivery<State>> inFlight) {
		// The container also says so when something is due
		if (reclaim && now() - this.scheduledAllAt > this.lease / (EXTENSIONS + 1)) {
			scheduleAll();
		}
		long now = now();
		List<State> due = this.states.stream().filter((state) -> dueAt(state) <= now).limit(most).toList();
		List<State> next = new ArrayList<>(this.states);
		next.removeAll(due);
		next.addAll(due);
		this.states = next;
		return all(due.stream().map(this::take)).thenApply((taken) -> delivered(due));
	}

	private CompletableFuture<?> take(State state) {
		state.scheduledAt.set(NEVER);
		long asked = now();
		return this.redis.take(state.partition, this.properties.leaseTime(), this.properties.batchSize())
			.handle((take, failure) -> {
				if (failure != null) {
					return failed(state, failure);
				}
				state.heldUntil = asked + this.lease;
				state.extensions = 0;
				state.waiting = take.waiting();
				state.taken = take;
				return state.isInFlight() ? state : schedule(state, take.more() ? Duration.ZERO : take.due());
			});
	}

	private TakenWork<State> delivered(List<State> asked) {
		List<Delivery<State>> delivered = asked.stream()
			.filter(State::isInFlight)
			.map((state) -> new Delivery<>(String.valueOf(state.partition.number()), state.partition.cache(), 1,
					String.valueOf(state.heldUntil), state))
			.toList();
		long next = this.states.stream().mapToLong(this::dueAt).min().orElse(NEVER);
		long rest = Math.max(0, next - now());
		return new TakenWork<>(delivered, rest == 0, (next != NEVER) ? Duration.ofNanos(rest) : null);
	}

	// In an outage the others do not wait, and all are read when it is over
	private State failed(State state, Throwable failure) {
		Throwable cause = Waiting.cause(failure);
		if (!(cause instanceof RedisUnavailableException)) {
			logger.warn("Changes of cache '" + state.partition.cache() + "' could not be taken or settled: " + cause);
		}
		return schedule(state, RETRY);
	}

	// Writing

	@Override
	public CompletionStage<Written> handle(List<Delivery<State>> deliveries,
			BatchAcknowledgment<State> acknowledgment) {
		State state = deliveries.get(0).message();
		return CompletableFuture.completedFuture(state.writer.write(state.taken.changes(),
				() -> state.heldUntil - now() > this.lease / EXTENSIONS, state.outages >= DOUBTFUL));
	}

	/**
	 * Extends the leases. One that is lost ends the writing, and is then refused when it
	 * is settled.
	 */
	@Override
	public CompletionStage<Collection<Delivery<State>>> heartbeat(Collection<Delivery<State>> inFlight) {
		return all(inFlight.stream().map((delivery) -> extend(delivery.message()))).thenApply((all) -> List.of());
	}

	private CompletableFuture<?> extend(State state) {
		long asked = now();
		state.extensions = state.extensions + 1;
		if (state.extensions == SLOW) {
			logger.warn("The store of cache '" + state.partition.cache() + "' has been writing for 3 leases."
					+ " Its partition waits until it returns: set timeouts for its calls");
		}
		return this.redis.hold(state.partition, this.properties.leaseTime()).handle((held, failure) -> {
			if (failure == null) {
				state.heldUntil = held ? asked + this.lease : asked;
			}
			return state;
		});
	}

	// Settling

	/**
	 * Records what became of changes. If Redis does not take that, they are given again.
	 */
	@Override
	public CompletionStage<Collection<Delivery<State>>> settle(List<Settlement<State>> settlements) {
		return all(settlements.stream().map((each) -> {
			State state = each.delivery().message();
			return settle(state, each).whenComplete((settled, failure) -> state.taken = Take.NOTHING);
		})).thenApply((all) -> List.of());
	}

	private CompletableFuture<?> settle(State state, Settlement<State> settlement) {
		if (settlement.result() instanceof Written written) {
			CompletableFuture<Settling> settled = written.settled().isEmpty()
					? CompletableFuture.completedFuture(new Settling(true, state.waiting, null))
					: this.redis.settle(state.partition, this.properties, written.settled());
			return settled.handle((settling, failure) -> (failure != null) ? failed(state, failure)
					: settled(state, written, settling));
		}
		if (settlement.outcome() == Settlement.Outcome.RELEASE) {
			return release(state).thenApply((released) -> schedule(state, Duration.ZERO));
		}
		// They are read again with all others
		Throwable failure = settlement.failure();
		logger.warn("Changes of cache '" + state.partition.cache() + "' could not be written"
				+ ((failure != null) ? ": " + FailureText.of(failure) : ""));
		return CompletableFuture.completedFuture(state);
	}

	private State settled(State state, Written written, Settling settling) {
		if (settling.held()) {
			state.waiting = settling.waiting();
			written.settled()
				.stream()
				.collect(Collectors.groupingBy(Settled::outcome, Collectors.counting()))
				.forEach((outcome, count) -> publishEvent(state, outcome, count));
		}
		if (written.outage() != null) {
			return rest(state, state.taken.changes().size() - written.settled().size(), written.outage());
		}
		state.outages = 0;
		if (this.draining || !settling.held() || state.taken.more()) {
			return schedule(state, Duration.ZERO);
		}
		if (settling.waiting() > 0) {
			schedule(state, this.properties.linger());
			schedule(state, settling.due());
		}
		return state;
	}

	private State rest(State state, int left, Throwable outage) {
		state.outages = state.outages + 1;
		if (state.outages == 1) {
			logger.warn("The store of cache '" + state.partition.cache() + "' is unavailable, its changes wait: "
					+ FailureText.of(outage));
		}
		publishEvent(state, Outcome.RETRIED, left);
		state.restUntil = now() + this.properties.delay(state.outages).toNanos();
		state.scheduledAt.set(this.draining ? NEVER : state.restUntil);
		return state;
	}

	private void publishEvent(State state, Outcome outcome, long count) {
		this.events.accept(new WriteBehindEvent(state.partition.cache(), outcome, count));
	}

	@Override
	public boolean isOrdered() {
		return true;
	}

	@Override
	public CompletionStage<?> leave() {
		return all(this.states.stream().map(this::release));
	}

	// Without an answer the lease ends by itself
	private CompletableFuture<State> release(State state) {
		return this.redis.hold(state.partition, Duration.ZERO).handle((released, failure) -> state);
	}

	private static CompletableFuture<Void> all(Stream<? extends CompletableFuture<?>> calls) {
		return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new));
	}

	/**
	 * A partition, as this instance knows it, with the changes that it writes.
	 */
	static final class State {

		private final Partition partition;

		private final StoreWriter<?> writer;

		/** When to read it. */
		private final AtomicLong scheduledAt = new AtomicLong(NEVER);

		/** The changes in flight. */
		private volatile Take taken = Take.NOTHING;

		/** Known to be held until then. */
		private volatile long heldUntil;

		private volatile int extensions;

		private volatile long waiting;

		/** Until then the store is left alone. */
		private volatile long restUntil;

		/** Number of consecutive attempts at which the store was unavailable. */
		private volatile int outages;

		State(Partition partition, StoreWriter<?> writer) {
			this.partition = partition;
			this.writer = writer;
		}

		private boolean isInFlight() {
			return !this.taken.changes().isEmpty();
		}

	}

}
