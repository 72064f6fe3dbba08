/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.stream;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.ge.redis.core.consume.ConsumerProperties;
import io.ge.redis.core.consume.Delivery;
import io.ge.redis.core.consume.Settlement;
import io.ge.redis.core.consume.Settlement.Outcome;
import io.ge.redis.core.consume.WorkSource;
import io.ge.redis.core.event.FailureText;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.stream.StreamEvent.Kind;
import io.ge.redis.stream.StreamProperties.Group;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a group of consumers, of all streams of a definition.
 * <p>
 * It knows for each stream up to where it was read. Streams that may have more are asked
 * at the next take, in turn; the others wait for their doorbell. Failed messages wait for
 * their pause as pending entries of the consumer {@code ~retry}. Publishes what becomes
 * of deliveries as events.
 */
final class RedisStreamSource implements WorkSource<StreamEntry> {

	private static final Log logger = LogFactory.getLog(RedisStreamSource.class);

	/** As many are asked by one call; more by a look for what others have left. */
	private static final int MOST_STREAMS = 64;

	/** Those that did not answer are asked again after this. */
	private static final Duration ASK_SILENT = Duration.ofSeconds(3);

	/** A call may wait in the server before it is run. No process is started in that. */
	private static final long LATE_MILLIS = 1000;

	/** Something before has to be settled first, or the stream cannot be read. */
	private static final String BLOCKED = "-";

	private final RedisStreams redis;

	private final StreamDefinition definition;

	private final String name;

	private final String group;

	private final Group settings;

	private final ConsumerProperties common;

	private final boolean deadLetters;

	private final GuardEvents events;

	private final List<StreamKeys> streams;

	/** Streams that may have more. */
	private final Set<Integer> ready = ConcurrentHashMap.newKeySet();

	/** Streams that have rung since the take that is under way was sent. */
	private final Set<Integer> rung = ConcurrentHashMap.newKeySet();

	/** Up to where a stream was read, or why it is not read at present. */
	private final AtomicReferenceArray<@Nullable String> positions;

	/** Streams whose group this instance has seen. */
	private final Set<Integer> seen = ConcurrentHashMap.newKeySet();

	/** Deliveries that this instance knows to have, and when it was sure of that. */
	private final Map<Delivery<StreamEntry>, Long> held = new ConcurrentHashMap<>();

	/**
	 * When the first take was sent of those whose replies may have been lost, by the
	 * system's nano time; {@code null} if there is none.
	 */
	private volatile @Nullable Long uncertainSince;

	private volatile int turn;

	private volatile long reapedAt = System.nanoTime();

	/** Streams that did not answer the last time, while others did. */
	private final Set<Integer> silent = ConcurrentHashMap.newKeySet();

	/** The problems that were logged. */
	private final Set<String> refused = ConcurrentHashMap.newKeySet();

	RedisStreamSource(RedisStreams redis, StreamDefinition definition, String group, Group settings,
			ConsumerProperties common, boolean deadLetters, GuardEvents events) {
		this.redis = redis;
		this.definition = definition;
		this.name = definition.name() + (deadLetters ? ".dead-letters/" : "/") + group;
		this.group = group;
		this.settings = settings;
		this.common = common;
		this.deadLetters = deadLetters;
		this.events = events;
		this.streams = deadLetters ? definition.streams()
			.stream()
			.map((keys) -> new StreamKeys(keys.dead(), keys.dead(), keys.root()))
			.toList() : definition.streams();
		this.positions = new AtomicReferenceArray<>(this.streams.size());
		this.ready.addAll(all());
	}

	private List<Integer> all() {
		return IntStream.range(0, this.streams.size()).boxed().toList();
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public boolean isOrdered() {
		return this.definition.isOrdered() && !this.deadLetters;
	}

	// Taking

	@Override
	public CompletionStage<TakenWork<StreamEntry>> take(int most, boolean reclaim) {
		if (reclaim) {
			reap();
		}
		Taking taking = new Taking(most, reclaim);
		boolean recovers = this.uncertainSince != null;
		boolean leavesOut = !this.silent.isEmpty();
		long asked = System.nanoTime();
		return taking.next(inTurn((reclaim || recovers) ? all() : List.copyOf(this.ready), reclaim, recovers))
			.thenCompose((taken) -> bury(taking.expired))
			.whenComplete((taken, failure) -> {
				if (failure != null || !this.silent.isEmpty()) {
					this.uncertainSince = recovers ? this.uncertainSince : Long.valueOf(asked);
				}
				else if (!leavesOut && !(recovers && taking.left() == 0)) {
					this.uncertainSince = null;
				}
				if (failure != null) {
					taking.deliveries.forEach(this.held::remove);
				}
			})
			.thenApply(
					(taken) -> new TakenWork<>(taking.deliveries, !this.silent.containsAll(this.ready), taking.due()));
	}

	// Left undone, they are given again when their leases end
	private CompletionStage<List<Ending>> bury(List<Ending> expired) {
		return send(expired, "").handle((lost, failure) -> {
			count(Kind.LEASE_EXPIRED, (failure == null) ? expired.size() - lost.size() : 0);
			expired.forEach((each) -> ring(each.delivery().message().stream()));
			return expired;
		});
	}

	// Another one is the first at each take, so that none has to wait for the others. A
	// look asks one of the silent before anything is leased that had to wait for it
	private List<Integer> inTurn(List<Integer> streams, boolean reclaim, boolean recovers) {
		List<Integer> asked = new ArrayList<>(streams);
		Collections.rotate(asked, -Math.floorMod(this.turn++, Math.max(1, asked.size())));
		List<Integer> silent = asked.stream().filter(this.silent::contains).toList();
		asked.removeAll(silent);
		if (reclaim && !silent.isEmpty()) {
			asked.add(0, silent.get(0));
		}
		return (reclaim || recovers) ? asked : asked.subList(0, Math.min(MOST_STREAMS, asked.size()));
	}

	@Override
	public List<Doorbell> doorbells() {
		List<Doorbell> bells = new ArrayList<>();
		for (int i = 0; i < this.streams.size(); i++) {
			String position = this.positions.get(i);
			if (position != null && !position.equals(BLOCKED)) {
				bells.add(new Doorbell(KeySpace.shared(this.streams.get(i).stream()), position));
			}
		}
		return bells;
	}

	@Override
	public boolean rung(String stream) {
		for (int i = 0; i < this.streams.size(); i++) {
			if (this.streams.get(i).stream().equals(stream)) {
				ring(i);
				return true;
			}
		}
		return false;
	}

	private void ring(int stream) {
		this.rung.add(stream);
		this.ready.add(stream);
	}

	// Keeping and ending

	@Override
	public CompletionStage<Collection<Delivery<StreamEntry>>> heartbeat(Collection<Delivery<StreamEntry>> inFlight) {
		long now = System.nanoTime();
		inFlight.forEach((delivery) -> this.held.replace(delivery, now));
		return send(inFlight.stream().map((delivery) -> new Ending(delivery, "extend", "", List.of())).toList(), "");
	}

	@Override
	public CompletionStage<Collection<Delivery<StreamEntry>>> settle(List<Settlement<StreamEntry>> settlements) {
		boolean releases = settlements.stream().anyMatch((each) -> each.outcome() == Outcome.RELEASE);
		return send(settlements.stream().map(this::ending).toList(), releases ? this.redis.channel() : "")
			.thenApply((lost) -> {
				settlements.forEach((each) -> this.held.remove(each.delivery()));
				// What follows in the order, or was given back
				settlements.stream()
					.filter((each) -> isOrdered() || each.outcome() == Outcome.RELEASE)
					.forEach((each) -> ring(each.delivery().message().stream()));
				return lost;
			});
	}

	private Ending ending(Settlement<StreamEntry> settlement) {
		Delivery<StreamEntry> delivery = settlement.delivery();
		if (isLast(settlement)) {
			return dead(delivery, headers(settlement, this.common.consumerName()));
		}
		// Other groups may still need it
		boolean settlesBody = !this.deadLetters && this.definition.properties().groups().size() == 1;
		return new Ending(delivery, settlement.outcome().name().toLowerCase(Locale.ROOT),
				settlesBody ? delivery.message().bodyId() : "", List.of());
	}

	private Ending dead(Delivery<StreamEntry> delivery, List<String> headers) {
		return new Ending(delivery, "dead", this.deadLetters ? "" : delivery.message().bodyId(), headers);
	}

	// Given up, by its listener or after the last attempt
	private boolean isLast(Settlement<StreamEntry> settlement) {
		return settlement.outcome() == Outcome.REJECT || (settlement.outcome() == Outcome.RETRY
				&& settlement.delivery().attempt() >= this.settings.maxDeliveries());
	}

	private static Kind reason(Settlement<StreamEntry> settlement) {
		return (settlement.outcome() == Outcome.RETRY) ? Kind.ATTEMPTS : StreamFormat.reason(settlement.failure());
	}

	private static List<String> headers(Settlement<StreamEntry> settlement, String consumer) {
		List<String> headers = reasonHeaders(reason(settlement), settlement.delivery().attempt(), consumer);
		Throwable failure = settlement.failure();
		if (failure != null) {
			FailureText text = FailureText.of(failure);
			headers.addAll(List.of("kafka_dlt-exception-fqcn", text.type(), "kafka_dlt-exception-message",
					text.message(), "kafka_dlt-exception-stacktrace", text.stackTrace()));
		}
		return headers;
	}

	private static List<String> reasonHeaders(Kind reason, int deliveries, String consumer) {
		return new ArrayList<>(List.of("kafka_deliveryAttempt", String.valueOf(deliveries), "ge_dlt-consumer", consumer,
				"ge_dlt-reason", reason.name().toLowerCase(Locale.ROOT).replace('_', '-')));
	}

	// On a Cluster a call for each stream
	private CompletableFuture<Collection<Delivery<StreamEntry>>> send(List<Ending> endings, String channel) {
		boolean clustered = this.redis.isClustered();
		Map<Object, List<Ending>> calls = endings.stream()
			.collect(Collectors.groupingBy((ending) -> clustered ? ending.keys() : this));
		return RedisStreams.all(calls.values().stream().map((call) -> call(call, channel)))
			.thenApply((lost) -> lost.stream().flatMap(List::stream).toList());
	}

	private CompletableFuture<List<Delivery<StreamEntry>>> call(List<Ending> endings, String channel) {
		List<StreamKeys> streams = endings.stream().map(Ending::keys).distinct().toList();
		StreamProperties.DeadLetters letters = this.definition.properties().deadLetter();
		List<Object> arguments = new ArrayList<>(List.of(this.group, this.common.consumerName(),
				this.deadLetters ? 0 : letters.maxLength(), letters.ttl().toMillis(), channel));
		for (Ending ending : endings) {
			arguments.addAll(List.of(streams.indexOf(ending.keys()) + 1, ending.delivery().id(),
					ending.delivery().attempt(), ending.outcome(), ending.body(), ending.headers().size()));
			arguments.addAll(ending.headers());
		}
		return this.redis.settle(streams, arguments).thenApply((reply) -> {
			note(reply.text(0));
			count(Kind.PENDING, reply.number(1));
			return IntStream.range(2, reply.size())
				.mapToObj((i) -> endings.get((int) reply.number(i)).delivery())
				.toList();
		});
	}

	@Override
	public CompletionStage<?> leave() {
		return this.redis.reap(this.streams, this.group, this.common.consumerName(), Duration.ZERO, isOrdered());
	}

	// One that was neither extended nor settled for long is not ours any more. Its work
	// may go on for a lease and more, if this process was paused. If its listener has
	// returned without an acknowledgement, nothing extends the lease, and it counts
	private List<String> known(boolean uncertain) {
		long now = System.nanoTime();
		Duration lease = this.settings.minIdle();
		this.held.values().removeIf((sure) -> now - sure > lease.multipliedBy(10).toNanos());
		return this.held.entrySet()
			.stream()
			.filter((each) -> uncertain || now - each.getValue() < lease.toNanos())
			.map((each) -> each.getKey().origin() + " " + each.getKey().id())
			.toList();
	}

	private void reap() {
		long now = System.nanoTime();
		if (now - this.reapedAt > this.common.reapAfter().toNanos() / 2) {
			this.reapedAt = now;
			this.redis.reap(this.streams, this.group, "", this.common.reapAfter(), false)
				.thenAccept((number) -> count(Kind.REAPED, number));
		}
	}

	@Override
	public void onBegun(Delivery<StreamEntry> delivery) {
		count(Kind.REDELIVERED, (delivery.attempt() > 1) ? 1 : 0);
	}

	@Override
	public void onSettled(Settlement<StreamEntry> settlement, Duration handling) {
		boolean done = settlement.outcome() == Outcome.DONE;
		if (settlement.outcome() == Outcome.RELEASE) {
			return;
		}
		count(Kind.HANDLED, handling.toNanos());
		count(done ? Kind.DONE : isLast(settlement) ? Kind.DEAD : Kind.RETRY, 1);
		if (done) {
			count(Kind.END_TO_END, settlement.delivery().message().age().toNanos());
		}
		else if (isLast(settlement)) {
			count(reason(settlement), 1);
		}
	}

	@Override
	public void onLost(Delivery<StreamEntry> delivery) {
		count(Kind.LOST_LEASE, 1);
	}

	@Override
	public void onBatch(int size) {
		count(Kind.BATCH, size);
	}

	private void count(Kind kind, long number) {
		if (number > 0) {
			String stream = (kind == Kind.PENDING) ? this.definition.name() : this.name;
			this.events.publish(new StreamEvent(stream, kind, number));
		}
	}

	private void note(String problem) {
		if (!problem.isEmpty() && this.refused.add(problem)) {
			logger.error("Messages of '" + this.name + "' wait, as Redis refuses the stream " + problem);
		}
	}

	/**
	 * The end or the extension of a delivery, as {@code settle.lua} knows it.
	 */
	private record Ending(Delivery<StreamEntry> delivery, String outcome, String body, List<String> headers) {

		StreamKeys keys() {
			return this.delivery.message().keys();
		}

	}

	/**
	 * One take, of several calls where streams are on different servers.
	 */
	private final class Taking {

		private final int most;

		private final boolean reclaim;

		private final List<Delivery<StreamEntry>> deliveries = new ArrayList<>();

		/** Those that were delivered too often. */
		private final List<Ending> expired = new ArrayList<>();

		private @Nullable Duration due;

		private boolean answered;

		private @Nullable Throwable failure;

		Taking(int most, boolean reclaim) {
			this.most = most;
			this.reclaim = reclaim;
		}

		int left() {
			return this.most - this.deliveries.size() - this.expired.size();
		}

		CompletableFuture<@Nullable Void> next(List<Integer> streams) {
			RedisStreamSource source = RedisStreamSource.this;
			int left = left();
			if (streams.isEmpty() || left == 0) {
				return (this.answered || this.failure == null) ? CompletableFuture.completedFuture(null)
						: CompletableFuture.failedFuture(this.failure);
			}
			List<Integer> asked = source.redis.isClustered() ? streams.subList(0, 1) : streams;
			asked.forEach(source.rung::remove);
			Long uncertainSince = source.uncertainSince;
			List<Object> arguments = new ArrayList<>(List.of(source.group, source.common.consumerName(), left,
					this.reclaim ? "1" : "0", source.settings.minIdle().toMillis(),
					source.settings.backoff().initial().toMillis(), source.settings.backoff().max().toMillis(),
					isOrdered() ? "1" : "0",
					(uncertainSince != null) ? (System.nanoTime() - uncertainSince) / 1_000_000 + LATE_MILLIS : -1));
			if (this.reclaim || uncertainSince != null) {
				arguments.addAll(known(uncertainSince != null));
			}
			return source.redis.take(asked.stream().map(source.streams::get).toList(), arguments)
				.handle((reply, failure) -> {
					boolean goesOn = failure == null || source.silent.containsAll(asked);
					if (failure == null) {
						read(asked, reply);
					}
					else {
						failed(asked, failure);
					}
					return next(goesOn ? streams.subList(asked.size(), streams.size()) : List.of());
				})
				.thenCompose(Function.identity());
		}

		// What others have given is handled meanwhile. What this one gave is given again
		private void failed(List<Integer> asked, Throwable failure) {
			RedisStreamSource source = RedisStreamSource.this;
			this.failure = failure;
			source.ready.addAll(asked);
			if (this.answered && source.silent.isEmpty()) {
				logger.warn("Some streams of '" + source.name + "' do not answer: " + Waiting.cause(failure));
			}
			if (this.answered) {
				source.silent.addAll(asked);
			}
		}

		@Nullable Duration due() {
			boolean later = RedisStreamSource.this.silent.isEmpty()
					|| (this.due != null && this.due.compareTo(ASK_SILENT) < 0);
			return later ? this.due : ASK_SILENT;
		}

		private void read(List<Integer> asked, ScriptReply reply) {
			this.answered = true;
			if (RedisStreamSource.this.silent.removeAll(asked)) {
				// Others of its server may answer as well
				RedisStreamSource.this.silent.clear();
			}
			long due = reply.number(0);
			if (due >= 0 && (this.due == null || due < this.due.toMillis())) {
				this.due = Duration.ofMillis(due);
			}
			count(Kind.PENDING, reply.number(1));
			note(reply.text(2));
			int next = 4;
			for (int stream : asked) {
				position(stream, reply.number(next), reply.text(next + 1));
				long given = reply.number(next + 2);
				next += 3;
				for (long i = 0; i < given; i++) {
					next = entry(stream, reply, next);
				}
			}
		}

		private void position(int stream, long made, String position) {
			RedisStreamSource source = RedisStreamSource.this;
			if (!position.isEmpty()) {
				source.positions.set(stream, position);
				source.ready.remove(stream);
			}
			if (position.isEmpty() || source.rung.contains(stream)) {
				source.ready.add(stream);
			}
			if (made >= 0 && !source.seen.add(stream) && made > 0 && !source.deadLetters) {
				count(Kind.GROUP_RECREATED, 1);
			}
		}

		private int entry(int stream, ScriptReply reply, int from) {
			int number = (int) reply.number(from + 3);
			int end = from + 4 + number;
			StreamKeys keys = RedisStreamSource.this.streams.get(stream);
			StreamEntry entry = new StreamEntry(stream, keys, reply.text(from),
					RedisStreams.fields(reply, from + 4, number), reply.has(end) ? reply.text(end) : null,
					reply.number(3), System.nanoTime());
			Delivery<StreamEntry> delivery = new Delivery<>(entry.id(), keys.stream(), (int) reply.number(from + 1), "",
					entry);
			int most = RedisStreamSource.this.settings.maxDeliveries();
			if (delivery.attempt() > most) {
				this.expired.add(dead(delivery, reasonHeaders(Kind.LEASE_EXPIRED, most, reply.text(from + 2))));
			}
			else {
				this.deliveries.add(delivery);
				RedisStreamSource.this.held.put(delivery, entry.takenAt());
			}
			return end + 1;
		}

	}

}
