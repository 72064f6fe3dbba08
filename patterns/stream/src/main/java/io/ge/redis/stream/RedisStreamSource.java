// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.ge.redis.core.consume.ConsumerProperties;
import io.ge.redis.core.consume.Delivery;
import io.ge.redis.core.consume.Settlement;
import io.ge.redis.core.consume.Settlement.Outcome;
import io.ge.redis.core.consume.TakeBound;
import io.ge.redis.core.consume.WorkSource;
import io.ge.redis.core.event.FailureText;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.stream.StreamEvent.Kind;
import io.ge.redis.stream.RedisStreamListener.Start;
import io.ge.redis.stream.StreamProperties.Group;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a group of consumers, of all streams of a definition.
 * <p>
 * It knows for each stream the position up to which it was read. Streams that may have
 * more are asked at the next take, in turn; the others wait for their doorbell. Failed
 * messages wait for their pause as pending entries of the consumer {@code ~retry}.
 * Publishes the outcomes of deliveries as events.
 * <p>
 * A single stream in which only new entries are expected is read and acknowledged by
 * plain commands. After an unusual or lost reply, the next take uses the script, which
 * returns undelivered entries again.
 */
final class RedisStreamSource implements WorkSource<StreamEntry> {

	private static final Log logger = LogFactory.getLog(RedisStreamSource.class);

	/** The most streams that one call asks, outside of a Cluster, where it is one. */
	private static final int MOST_STREAMS = 64;

	/** A call may wait in the server before it is run. No process is started in that. */
	private static final long LATE_MILLIS = 1000;

	/** Something before has to be settled first, or the stream cannot be read. */
	private static final String BLOCKED = "-";

	/** No permit was left to look for what others have left. */
	private static final String UNLOOKED = "+";

	private final RedisStreams redis;

	private final StreamDefinition definition;

	private final String name;

	private final String group;

	private final Group settings;

	private final ConsumerProperties common;

	private final boolean deadLetters;

	private final Start start;

	private final GuardEvents events;

	private final List<StreamKeys> streams;

	/** The positions of the streams by their keys. */
	private final Map<String, Integer> numbers = new HashMap<>();

	/** Streams that may have more. */
	private final Set<Integer> ready = ConcurrentHashMap.newKeySet();

	/** Streams that have rung since the take that is under way was sent. */
	private final Set<Integer> rung = ConcurrentHashMap.newKeySet();

	/** Up to where a stream was read, or why it is not read at present. */
	private final AtomicReferenceArray<@Nullable String> positions;

	/** Streams whose group this instance has seen. */
	private final Set<Integer> seen = ConcurrentHashMap.newKeySet();

	/** Streams to be searched for messages that others have left. */
	private final Set<Integer> unlooked = ConcurrentHashMap.newKeySet();

	/**
	 * Streams of which replies may have been lost, and when the first of these takes was
	 * sent, by the system's nano time.
	 */
	private final Map<Integer, Long> unanswered = new ConcurrentHashMap<>();

	/** When the retries of this instance are due, by the system's nano time. */
	private final Queue<Long> retries = new PriorityBlockingQueue<>();

	private final TakeBound bound;

	/** False where order, or a payload that is kept apart, needs a script. */
	private final boolean readsPlainly;

	/** Streams in which only new entries are expected. */
	private final Set<Integer> plain = ConcurrentHashMap.newKeySet();

	/** The largest of the last entries, in bytes. */
	private volatile long largest;

	/** Milliseconds of the clock of Redis at the beginning of the system's nano time. */
	private volatile long clock;

	private volatile int turn;

	private volatile long reapedAt = System.nanoTime();

	/** The problems that were logged. */
	private final Set<String> refused = ConcurrentHashMap.newKeySet();

	RedisStreamSource(RedisStreams redis, StreamDefinition definition, String group, Group settings,
			ConsumerProperties common, boolean deadLetters, Start start, GuardEvents events) {
		this.redis = redis;
		this.definition = definition;
		this.name = definition.name() + (deadLetters ? ".dead-letters/" : "/") + group;
		this.group = group;
		this.settings = settings;
		this.common = common;
		this.deadLetters = deadLetters;
		this.start = start;
		this.events = events;
		this.bound = new TakeBound(common.maxTakeBytes());
		this.readsPlainly = definition.properties().partitions() == null
				&& definition.properties().claimCheck().threshold() == null;
		this.streams = deadLetters ? definition.streams()
			.stream()
			.map((keys) -> new StreamKeys(keys.dead(), keys.dead(), keys.root()))
			.toList() : definition.streams();
		for (int i = 0; i < this.streams.size(); i++) {
			this.numbers.put(this.streams.get(i).stream(), i);
		}
		this.positions = new AtomicReferenceArray<>(this.streams.size());
		lookAtAll();
	}

	private void lookAtAll() {
		for (int i = 0; i < this.streams.size(); i++) {
			this.ready.add(i);
			this.unlooked.add(i);
		}
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
	public CompletionStage<TakenWork<StreamEntry>> take(int most, boolean reclaim,
			Collection<Delivery<StreamEntry>> inFlight) {
		if (reclaim) {
			reap();
			lookAtAll();
		}
		long sent = System.nanoTime();
		for (Long due = this.retries.peek(); due != null && due - sent <= 0; due = this.retries.peek()) {
			this.retries.remove();
			this.plain.clear();
		}
		List<Integer> asked = inTurn();
		if (asked.isEmpty()) {
			return CompletableFuture.completedFuture(new TakenWork<>(List.of(), false, due()));
		}
		List<Object> bytes = this.bound.arguments(reclaim);
		long fitting = Math.min(most, (long) bytes.get(0) / Math.max(1, this.largest));
		int first = asked.get(0);
		if (asked.size() > 1 || this.largest == 0 || fitting == 0 || !this.plain.contains(first)
				|| this.unlooked.contains(first) || this.unanswered.containsKey(first)) {
			return take(most, asked, bytes, inFlight);
		}
		this.rung.remove(first);
		return this.redis.read(this.streams.get(first), this.group, this.common.consumerName(), fitting)
			.handle((reply, failure) -> {
				if (failure != null) {
					throw failed(asked, sent, failure);
				}
				return readPlain(first, reply, fitting);
			})
			.thenCompose((taken) -> (taken != null) ? CompletableFuture.completedFuture(taken)
					: take(most, asked, bytes, inFlight));
	}

	private TakenWork<StreamEntry> taken(List<Delivery<StreamEntry>> given) {
		return new TakenWork<>(given, !this.ready.isEmpty(), due());
	}

	// Null if a script has to look
	private @Nullable TakenWork<StreamEntry> readPlain(int stream, ScriptReply reply, long most) {
		int next = 0;
		while (next < reply.size() && (!reply.has(next) || reply.isNumber(next))) {
			next++;
		}
		long number = (next < reply.size()) ? reply.number(next + 1) : 0;
		next += 2;
		List<Delivery<StreamEntry>> given = new ArrayList<>();
		for (long i = 0; i < number; i++) {
			int fields = (int) reply.number(next + 2);
			given.add(delivery(stream, RedisStreams.fields(reply, next + 3, fields), reply.text(next + 1), 1, null));
			next += 3 + fields;
		}
		if (number == 0) {
			this.plain.remove(stream);
			return null;
		}
		if (given.stream().anyMatch((each) -> each.message().needsScript())) {
			// As if the reply was lost
			this.unanswered.put(stream, System.nanoTime());
			return null;
		}
		note(given);
		position(stream, -1, (number < most) ? given.get(given.size() - 1).id() : "");
		return taken(given);
	}

	// Follows the size of entries at once when it grows, and slowly when it shrinks
	private void note(List<Delivery<StreamEntry>> given) {
		long seen = given.stream().mapToLong((each) -> each.message().length()).max().orElse(this.largest);
		this.largest = Math.max(seen, this.largest / 2);
	}

	private CompletionStage<TakenWork<StreamEntry>> take(int most, List<Integer> asked, List<Object> bytes,
			Collection<Delivery<StreamEntry>> inFlight) {
		long sent = System.nanoTime();
		boolean looks = this.unlooked.removeAll(asked);
		asked.forEach(this.rung::remove);
		Long lostSince = asked.stream()
			.map(this.unanswered::get)
			.filter(Objects::nonNull)
			.min(Comparator.naturalOrder())
			.orElse(null);
		List<Object> arguments = arguments(most, looks ? "1" : "0", this.settings.minIdle().toMillis(),
				this.settings.maxDeliveries(), isOrdered() ? "1" : "0",
				(lostSince != null) ? (sent - lostSince) / 1_000_000 + LATE_MILLIS : -1);
		arguments.addAll(bytes);
		// Later, a group that must be created was lost before, with its unread entries
		boolean first = asked.stream().anyMatch((stream) -> this.positions.get(stream) == null);
		arguments.add((this.start == Start.LATEST && first) ? "$" : "0");
		if (looks || lostSince != null) {
			inFlight.forEach((delivery) -> arguments.add(delivery.origin() + " " + delivery.id()));
		}
		return this.redis.take(asked.stream().map(this.streams::get).toList(), arguments).handle((reply, failure) -> {
			if (failure != null) {
				this.unlooked.addAll(looks ? asked : List.of());
				throw failed(asked, sent, failure);
			}
			return taken(read(asked, reply, looks));
		});
	}

	private List<Object> arguments(Object... further) {
		StreamProperties.DeadLetters letters = this.definition.properties().deadLetter();
		List<Object> arguments = new ArrayList<>(List.of(this.group, this.common.consumerName(),
				this.deadLetters ? 0 : letters.maxLength(), letters.ttl().toMillis()));
		arguments.addAll(List.of(further));
		return arguments;
	}

	// Another one is the first at each take, so that none has to wait for the others
	private List<Integer> inTurn() {
		List<Integer> asked = new ArrayList<>(this.ready);
		Collections.rotate(asked, -this.turn++);
		return asked.subList(0, Math.min(this.redis.isClustered() ? 1 : MOST_STREAMS, asked.size()));
	}

	private CompletionException failed(List<Integer> asked, long sent, Throwable failure) {
		asked.forEach((stream) -> this.unanswered.putIfAbsent(stream, sent));
		this.plain.removeAll(asked);
		this.bound.failed(failure);
		return new CompletionException(Waiting.cause(failure));
	}

	private @Nullable Duration due() {
		Long next = this.retries.peek();
		return (next != null) ? Duration.ofNanos(Math.max(0, next - System.nanoTime())) : null;
	}

	private List<Delivery<StreamEntry>> read(List<Integer> asked, ScriptReply reply, boolean looks) {
		count(Kind.LEASE_EXPIRED, reply.number(0));
		count(Kind.PENDING, reply.number(1));
		note(reply.text(2));
		this.clock = reply.number(3) - System.nanoTime() / 1_000_000;
		List<Delivery<StreamEntry>> given = new ArrayList<>();
		int next = 4;
		for (int stream : asked) {
			String position = reply.text(next + 1);
			position(stream, reply.number(next), position);
			this.plain.remove(stream);
			if (this.readsPlainly && !position.equals(UNLOOKED) && !position.equals(BLOCKED)
					&& !this.rung.contains(stream)) {
				this.plain.add(stream);
			}
			if (!position.equals(UNLOOKED)) {
				this.unanswered.remove(stream);
			}
			else if (looks) {
				this.unlooked.add(stream);
			}
			long number = reply.number(next + 2);
			next += 3;
			for (long i = 0; i < number; i++) {
				int fields = (int) reply.number(next + 2);
				given.add(delivery(stream, RedisStreams.fields(reply, next + 3, fields), reply.text(next),
						(int) reply.number(next + 1), reply.bytes(next + 3 + fields)));
				next += 4 + fields;
			}
		}
		note(given);
		return given;
	}

	private void position(int stream, long made, String position) {
		boolean more = position.isEmpty() || position.equals(UNLOOKED);
		if (!more) {
			this.positions.set(stream, position);
			this.ready.remove(stream);
		}
		if (more || this.rung.contains(stream)) {
			this.ready.add(stream);
		}
		if (made >= 0 && !this.seen.add(stream) && made > 0 && !this.deadLetters) {
			count(Kind.GROUP_RECREATED, 1);
		}
	}

	private Delivery<StreamEntry> delivery(int stream, StreamFields fields, String id, int attempt,
			byte @Nullable [] body) {
		StreamKeys keys = this.streams.get(stream);
		long now = System.nanoTime();
		return new Delivery<>(id, keys.stream(), attempt, "",
				new StreamEntry(stream, keys, id, fields, body, this.clock + now / 1_000_000, now));
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

	// Something may have been released
	@Override
	public boolean rung(String stream) {
		Integer found = this.numbers.get(stream);
		if (found != null) {
			ring(found);
		}
		return found != null;
	}

	@Override
	public void rung(Doorbell bell) {
		Integer found = this.numbers.get(bell.key().toString());
		if (found != null) {
			this.rung.add(found);
			this.ready.add(found);
		}
	}

	private void ring(int stream) {
		this.rung.add(stream);
		this.plain.remove(stream);
		this.ready.add(stream);
	}

	// Keeping and ending

	@Override
	public CompletionStage<Collection<Delivery<StreamEntry>>> heartbeat(Collection<Delivery<StreamEntry>> inFlight) {
		return send(inFlight.stream().map((delivery) -> new Ending(delivery, "extend", "", List.of())).toList(), "");
	}

	@Override
	public CompletionStage<Collection<Delivery<StreamEntry>>> settle(List<Settlement<StreamEntry>> settlements) {
		StreamEntry one = settlements.get(0).delivery().message();
		if (this.plain.contains(one.stream()) && settlements.stream().allMatch((each) -> isPlain(each, one.stream()))) {
			return this.redis
				.acknowledge(one.keys(), this.group, settlements.stream().map((each) -> each.delivery().id()).toList())
				.whenComplete((number, failure) -> {
					if (failure != null) {
						this.plain.remove(one.stream());
					}
				})
				// Which were lost is not known and makes no difference
				.thenApply((number) -> settlements.stream()
					.map(Settlement::delivery)
					.limit(settlements.size() - number)
					.toList());
		}
		boolean releases = settlements.stream().anyMatch((each) -> each.outcome() == Outcome.RELEASE);
		return send(settlements.stream().map(this::ending).toList(), releases ? this.redis.channel() : "")
			.thenApply((lost) -> {
				long now = System.nanoTime();
				for (Settlement<StreamEntry> each : settlements) {
					// The next in order, or the released one, can be taken now
					if (isOrdered() || each.outcome() == Outcome.RELEASE) {
						ring(each.delivery().message().stream());
					}
					if (each.outcome() == Outcome.RETRY) {
						this.retries.add(now + pause(each).toNanos());
					}
				}
				return lost;
			});
	}

	// A message still leased to this instance needs no comparison in Redis
	private boolean isPlain(Settlement<StreamEntry> settlement, int stream) {
		StreamEntry entry = settlement.delivery().message();
		return settlement.outcome() == Outcome.DONE && entry.stream() == stream && entry.bodyId().isEmpty()
				&& settlement.leased().getAsBoolean();
	}

	private Duration pause(Settlement<StreamEntry> settlement) {
		return this.settings.backoff().after(settlement.delivery().attempt());
	}

	private Ending ending(Settlement<StreamEntry> settlement) {
		Delivery<StreamEntry> delivery = settlement.delivery();
		String body = delivery.message().bodyId();
		if (isLast(settlement)) {
			return new Ending(delivery, "dead", this.deadLetters ? "" : body, headers(settlement));
		}
		if (settlement.outcome() == Outcome.RETRY) {
			return new Ending(delivery, "retry", String.valueOf(pause(settlement).toMillis()), List.of());
		}
		// Other groups may still need it
		boolean settlesBody = !this.deadLetters && this.definition.properties().groups().size() == 1;
		return new Ending(delivery, settlement.outcome().name().toLowerCase(Locale.ROOT), settlesBody ? body : "",
				List.of());
	}

	// Given up, by its listener or after the last attempt
	private boolean isLast(Settlement<StreamEntry> settlement) {
		return settlement.outcome() == Outcome.REJECT || (settlement.outcome() == Outcome.RETRY
				&& settlement.delivery().attempt() >= this.settings.maxDeliveries());
	}

	private static Kind reason(Settlement<StreamEntry> settlement) {
		return (settlement.outcome() == Outcome.RETRY) ? Kind.ATTEMPTS : StreamFormat.reason(settlement.failure());
	}

	private List<String> headers(Settlement<StreamEntry> settlement) {
		List<String> headers = new ArrayList<>(List.of("kafka_deliveryAttempt",
				String.valueOf(settlement.delivery().attempt()), "ge_dlt-consumer", this.common.consumerName(),
				"ge_dlt-reason", reason(settlement).name().toLowerCase(Locale.ROOT).replace('_', '-')));
		Throwable failure = settlement.failure();
		if (failure != null) {
			FailureText text = FailureText.of(failure);
			headers.addAll(List.of("kafka_dlt-exception-fqcn", text.type(), "kafka_dlt-exception-message",
					text.message(), "kafka_dlt-exception-stacktrace", text.stackTrace()));
		}
		return headers;
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
		List<Object> arguments = arguments(channel);
		for (Ending ending : endings) {
			arguments.addAll(List.of(streams.indexOf(ending.keys()) + 1, ending.delivery().id(),
					ending.delivery().attempt(), ending.outcome(), ending.detail(), ending.headers().size()));
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
	public CompletionStage<Boolean> hasWork() {
		return this.deadLetters ? WorkSource.super.hasWork()
				: this.redis.view(this.definition)
					.thenApply((figures) -> StreamControl.view(this.definition, this.name, figures, List.of())
						.groups()
						.stream()
						.anyMatch((each) -> each.name().equals(this.group)
								&& (each.pending() > 0 || each.oldestUnread() != null)));
	}

	@Override
	public CompletionStage<?> leave() {
		return this.redis.reap(this.streams, this.group, this.common.consumerName(), Duration.ZERO, isOrdered());
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
	private record Ending(Delivery<StreamEntry> delivery, String outcome, String detail, List<String> headers) {

		StreamKeys keys() {
			return this.delivery.message().keys();
		}

	}

}
