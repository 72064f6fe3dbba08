// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.StandIn;
import io.ge.redis.core.invocation.NotConfiguredException;
import io.ge.redis.core.outage.Waiting;

/**
 * Publishes messages to the streams that are defined below
 * {@code ge.redis.stream.definitions}.
 * <p>
 * Redis: one script call for a message or a batch, with everything inside that the
 * definition asks for: depth of the chain, dedup, length, body. On a definition with
 * {@code partitions}, a batch is one call for each partition. If the outcome of a call
 * stays unknown ({@link io.ge.redis.RedisUnavailableException}), the same message may be
 * published again: with a dedup key it exists once.
 * <p>
 * All methods fail with {@link NotConfiguredException} for names that are not defined.
 */
public interface StreamPublisher {

	/**
	 * Publishes a message.
	 * @param variables the variables of a family, none for a single stream
	 * @return completes with the ids, or exceptionally with {@link StreamFullException},
	 * {@link ChainDepthException} or {@link io.ge.redis.RedisUnavailableException}
	 */
	CompletableFuture<Published> publishAsync(String stream, Map<String, String> variables, StreamMessage message);

	/**
	 * Publishes several messages to one stream, in their order. Each has a result of its
	 * own: one that finds the stream full or is too deep does not fail the others. If
	 * Redis does not answer, all of it fails, and some may have been published.
	 * @param variables the variables of a family, none for a single stream
	 * @return completes with a result for each message
	 */
	CompletableFuture<List<Published>> publishAllAsync(String stream, Map<String, String> variables,
			List<StreamMessage> messages);

	/**
	 * Publishes a message and waits for it, with the overflow {@code block} for up to
	 * {@code block-timeout}.
	 * @param variables the variables of a family, none for a single stream
	 * @return the ids
	 * @throws StreamFullException if a group still needs all that is in the stream
	 * @throws ChainDepthException if the message is deeper in its chain than allowed
	 */
	default Published publish(String stream, Map<String, String> variables, StreamMessage message) {
		return Waiting.await(publishAsync(stream, variables, message));
	}

	/**
	 * Publishes a message to a stream without variables.
	 * @see #publish(String, Map, StreamMessage)
	 */
	default Published publish(String stream, StreamMessage message) {
		return publish(stream, Map.of(), message);
	}

	/**
	 * Publishes several messages to one stream and waits for it.
	 * @param variables the variables of a family, none for a single stream
	 * @return a result for each message
	 * @see #publishAllAsync
	 */
	default List<Published> publishAll(String stream, Map<String, String> variables, List<StreamMessage> messages) {
		return Waiting.await(publishAllAsync(stream, variables, messages));
	}

	/**
	 * Returns a publisher that drops all messages, for where streams are switched off.
	 */
	static StreamPublisher unguarded() {
		return StandIn.of(StreamPublisher.class,
				Map.of("publish", (call) -> dropped((StreamMessage) call[call.length - 1]), "publishAll",
						(call) -> ((List<?>) call[2]).stream().map((each) -> dropped((StreamMessage) each)).toList()));
	}

	private static Published dropped(StreamMessage message) {
		String trigger = Objects.requireNonNullElseGet(message.triggerId(), () -> UUID.randomUUID().toString());
		return new Published(Published.Outcome.PUBLISHED, "0-0", trigger);
	}

}
