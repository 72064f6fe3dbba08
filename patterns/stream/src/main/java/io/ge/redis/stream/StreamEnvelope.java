// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A message as it is delivered: the payload and what goes with it.
 *
 * @param stream the name of the definition
 * @param key the stream's key
 * @param messageId the id in the stream, the same at each delivery
 * @param triggerId identifies what caused the message, empty if a foreign program has
 * published it without
 * @param depth the place in a chain of messages that cause messages, from 0
 * @param time when it was published, by the clock of Redis; for a replayed dead letter
 * the time of its first publication
 * @param attempt how often the message was delivered, this time included
 * @param workItem the item of work, or {@code null}
 * @param context what the receiver needs to know, empty if nothing was given
 * @param triggeredBy who caused it, or {@code null}
 * @param reason why, for people, or {@code null}
 * @param traceparent the W3C trace context, or {@code null}
 * @param payload the payload, {@code null} only if none was published
 * @param <T> the type of the payload
 */
public record StreamEnvelope<T extends @Nullable Object>(String stream, String key, String messageId, String triggerId,
		int depth, Instant time, int attempt, @Nullable String workItem, Map<String, Object> context,
		@Nullable String triggeredBy, @Nullable String reason, @Nullable String traceparent, T payload) {
}
