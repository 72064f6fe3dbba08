// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A message to be published: a payload, written as JSON, and what goes with it.
 * Immutable; made from {@link #of(Object)}.
 *
 * @param payload the payload, or {@code null}
 * @param triggerId identifies what caused the message; generated if it is {@code null}.
 * Must be given by a caller that may publish the same message again
 * @param workItem the item of work, or {@code null}
 * @param context what the receiver needs to know, written as JSON
 * @param triggeredBy who caused it, or {@code null}
 * @param reason why, for people, or {@code null}
 * @param dedupKey equal messages have equal keys; the definition's {@code dedup-key} if
 * it is {@code null}
 * @param orderKey messages with the same key follow one another, where the definition has
 * {@code partitions}
 * @param depth the place in a chain of messages that cause messages, from 0; -1 for the
 * place after the message that is being handled on this thread, 0 if there is none
 * @param traceparent the W3C trace context, or {@code null} for the context of the
 * message that is being handled on this thread
 */
public record StreamMessage(@Nullable Object payload, @Nullable String triggerId, @Nullable String workItem,
		Map<String, ?> context, @Nullable String triggeredBy, @Nullable String reason, @Nullable String dedupKey,
		@Nullable String orderKey, int depth, @Nullable String traceparent) {

	/**
	 * Creates a message.
	 * @param payload the payload, which Jackson can write, or {@code null}
	 */
	public static StreamMessage of(@Nullable Object payload) {
		return new StreamMessage(payload, null, null, Map.of(), null, null, null, null, -1, null);
	}

	public StreamMessage triggerId(String triggerId) {
		return new StreamMessage(this.payload, triggerId, this.workItem, this.context, this.triggeredBy, this.reason,
				this.dedupKey, this.orderKey, this.depth, this.traceparent);
	}

	public StreamMessage workItem(@Nullable String workItem) {
		return new StreamMessage(this.payload, this.triggerId, workItem, this.context, this.triggeredBy, this.reason,
				this.dedupKey, this.orderKey, this.depth, this.traceparent);
	}

	public StreamMessage context(Map<String, ?> context) {
		return new StreamMessage(this.payload, this.triggerId, this.workItem, context, this.triggeredBy, this.reason,
				this.dedupKey, this.orderKey, this.depth, this.traceparent);
	}

	public StreamMessage triggeredBy(@Nullable String triggeredBy, @Nullable String reason) {
		return new StreamMessage(this.payload, this.triggerId, this.workItem, this.context, triggeredBy, reason,
				this.dedupKey, this.orderKey, this.depth, this.traceparent);
	}

	/**
	 * Returns this message with a dedup key: of several with the same one within the
	 * definition's {@code dedup-window}, only the first is published.
	 */
	public StreamMessage dedupKey(String dedupKey) {
		return new StreamMessage(this.payload, this.triggerId, this.workItem, this.context, this.triggeredBy,
				this.reason, dedupKey, this.orderKey, this.depth, this.traceparent);
	}

	/**
	 * Returns this message with a key whose messages are processed in order.
	 */
	public StreamMessage orderKey(String orderKey) {
		return new StreamMessage(this.payload, this.triggerId, this.workItem, this.context, this.triggeredBy,
				this.reason, this.dedupKey, orderKey, this.depth, this.traceparent);
	}

	/**
	 * Returns this message at a place in a chain of messages, such as that which came
	 * with a request.
	 * @param depth from 0
	 */
	public StreamMessage depth(int depth) {
		return new StreamMessage(this.payload, this.triggerId, this.workItem, this.context, this.triggeredBy,
				this.reason, this.dedupKey, this.orderKey, depth, this.traceparent);
	}

	/**
	 * Returns this message as one that another has caused: one deeper, of the same trace.
	 * Not necessary where it is published on the thread on which a listener was called.
	 */
	public StreamMessage causedBy(StreamEnvelope<?> cause) {
		return new StreamMessage(this.payload, this.triggerId, this.workItem, this.context, this.triggeredBy,
				this.reason, this.dedupKey, this.orderKey, cause.depth() + 1, cause.traceparent());
	}

}
