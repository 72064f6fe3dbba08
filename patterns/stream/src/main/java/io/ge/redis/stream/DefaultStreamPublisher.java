// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.ge.redis.core.consume.Backoff;
import io.ge.redis.core.consume.Delivery;
import io.ge.redis.core.consume.JsonPayloads;
import io.ge.redis.core.consume.WorkHandler;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.stream.RedisStreams.Outgoing;
import io.ge.redis.stream.StreamEvent.Kind;
import io.ge.redis.stream.StreamProperties.Overflow;
import org.jspecify.annotations.Nullable;

import org.springframework.util.unit.DataSize;

/**
 * Publishes to the streams that are defined.
 *
 * @param handled the message that a listener is called with on a thread
 */
record DefaultStreamPublisher(RedisStreams redis, StreamFormat format, GuardEvents events,
		ThreadLocal<@Nullable StreamEntry> handled) implements StreamPublisher {

	/** The most messages of one call. */
	private static final int MOST = 256;

	private static final long MOST_BYTES = DataSize.ofMegabytes(4).toBytes();

	/** Between attempts while the stream is full. */
	private static final Backoff WAITS = new Backoff(Duration.ofMillis(10), Duration.ofMillis(250));

	/**
	 * Returns a handler on whose thread messages that are published are one deeper than
	 * those it handles, and of their trace.
	 */
	WorkHandler<StreamEntry> causing(WorkHandler<StreamEntry> listener) {
		return (batch, acknowledgment) -> {
			this.handled.set(batch.stream()
				.map(Delivery::message)
				.max(Comparator.comparingInt(StreamEntry::depth))
				.orElseThrow());
			try {
				return listener.handle(batch, acknowledgment);
			}
			finally {
				this.handled.remove();
			}
		};
	}

	@Override
	public CompletableFuture<Published> publishAsync(String stream, Map<String, String> variables,
			StreamMessage message) {
		return publish(stream, variables, List.of(message)).thenApply((sent) -> {
			Outgoing only = sent.get(0);
			return switch (only.published.outcome()) {
				case FULL -> throw new StreamFullException(stream, only.wait);
				case TOO_DEEP -> throw new ChainDepthException(stream, only.depth);
				default -> only.published;
			};
		});
	}

	@Override
	public CompletableFuture<List<Published>> publishAllAsync(String stream, Map<String, String> variables,
			List<StreamMessage> messages) {
		return publish(stream, variables, messages)
			.thenApply((sent) -> sent.stream().map((each) -> each.published).toList());
	}

	private CompletableFuture<List<Outgoing>> publish(String stream, Map<String, String> variables,
			List<StreamMessage> messages) {
		List<Outgoing> all = new ArrayList<>();
		Map<StreamKeys, List<Outgoing>> byStream = new LinkedHashMap<>();
		StreamDefinition definition;
		try {
			definition = this.redis.definition(stream);
			for (StreamMessage message : messages) {
				Outgoing outgoing = outgoing(definition, variables, message);
				all.add(outgoing);
				byStream.computeIfAbsent(definition.stream(variables, message), (keys) -> new ArrayList<>())
					.add(outgoing);
			}
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		long until = System.nanoTime() + definition.properties().blockTimeout().toNanos();
		return RedisStreams
			.all(byStream.entrySet().stream().map((each) -> send(definition, each.getKey(), each.getValue(), until, 1)))
			.thenApply((done) -> {
				all.forEach((each) -> count(stream, each));
				return all;
			});
	}

	private Outgoing outgoing(StreamDefinition definition, Map<String, String> variables, StreamMessage message) {
		StreamEntry cause = this.handled.get();
		String given = message.triggerId();
		String trigger = (given != null) ? given : UUID.randomUUID().toString();
		int depth = (message.depth() >= 0) ? message.depth() : (cause != null) ? cause.depth() + 1 : 0;
		String traceparent = (message.traceparent() != null || cause == null) ? message.traceparent()
				: cause.traceparent();
		DataSize threshold = definition.properties().claimCheck().threshold();
		StreamFormat.Written written = this.format.write(message, trigger, depth, traceparent,
				(threshold != null) ? threshold.toBytes() : Long.MAX_VALUE);
		DataSize most = definition.properties().maxPayloadSize();
		if (written.size() > most.toBytes()) {
			throw JsonPayloads.tooLarge(written.size(), "stream '" + definition.name() + "'", most,
					definition.place("max-payload-size"), "set " + definition.place("claim-check.threshold") + ", ");
		}
		return new Outgoing(written, trigger, depth, definition.dedupKey(message, variables));
	}

	// One call after the other, so that the order stays
	private CompletableFuture<@Nullable Void> send(StreamDefinition definition, StreamKeys keys,
			List<Outgoing> messages, long until, int attempt) {
		int end = 0;
		for (long bytes = 0; end < Math.min(MOST, messages.size()) && bytes < MOST_BYTES; end++) {
			bytes += messages.get(end).written.size() + messages.get(end).written.body().length;
		}
		List<Outgoing> part = messages.subList(0, end);
		return this.redis.publish(definition, keys, part).thenCompose((sent) -> {
			List<Outgoing> left = new ArrayList<>();
			if (definition.properties().overflow() == Overflow.BLOCK && System.nanoTime() - until < 0) {
				part.stream().filter((each) -> each.published.outcome() == Published.Outcome.FULL).forEach(left::add);
			}
			boolean full = !left.isEmpty();
			left.addAll(messages.subList(part.size(), messages.size()));
			if (left.isEmpty()) {
				return CompletableFuture.completedFuture(null);
			}
			return full
					? later(WAITS.after(attempt))
						.thenCompose((waited) -> send(definition, keys, left, until, attempt + 1))
					: send(definition, keys, left, until, 1);
		});
	}

	private static CompletableFuture<@Nullable Void> later(Duration pause) {
		return new CompletableFuture<@Nullable Void>().completeOnTimeout(null, pause.toMillis(), TimeUnit.MILLISECONDS);
	}

	private void count(String stream, Outgoing sent) {
		publish(stream, switch (sent.published.outcome()) {
			case PUBLISHED -> Kind.OK;
			case DUPLICATE -> Kind.DUPLICATE;
			case FULL -> Kind.REJECTED_FULL;
			case TOO_DEEP -> Kind.REJECTED_DEPTH;
		}, 1);
		publish(stream, Kind.UNREAD, sent.dropped);
		publish(stream, Kind.SPILLED,
				(sent.published.outcome() == Published.Outcome.PUBLISHED) ? sent.written.body().length : 0);
	}

	private void publish(String stream, Kind kind, long amount) {
		if (amount > 0) {
			this.events.publish(new StreamEvent(stream, kind, amount));
		}
	}

}
