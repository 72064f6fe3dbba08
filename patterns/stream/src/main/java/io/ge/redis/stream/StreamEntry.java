// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * A message as it was read.
 *
 * @param stream the position of its stream in the definition
 * @param keys the keys of the stream
 * @param id its id
 * @param fields its fields, in their order
 * @param body its body that is kept apart, or {@code null} if there is none or it has
 * expired
 * @param clock milliseconds of the clock of Redis when it was taken
 * @param takenAt the system's nano time then
 */
record StreamEntry(int stream, StreamKeys keys, String id, StreamFields fields, byte @Nullable [] body, long clock,
		long takenAt) {

	static final String TRIGGER = "trigger";

	static final String DEPTH = "depth";

	static final String WORK_ITEM = "workItem";

	static final String CONTEXT = "context";

	static final String TRIGGERED_BY = "triggeredBy";

	static final String REASON = "reason";

	static final String TRACEPARENT = "traceparent";

	static final String PAYLOAD = "payload";

	/** Names the key of a payload that is kept apart. */
	static final String BODY = "body";

	/**
	 * Returns when the message was published first, by the clock of Redis.
	 */
	public Instant time() {
		long first = this.fields.publishedAt();
		return Instant
			.ofEpochMilli((first >= 0) ? first : Long.parseUnsignedLong(this.id.substring(0, this.id.indexOf('-'))));
	}

	/**
	 * Returns how long ago the message was published, by the clock of Redis.
	 */
	public Duration age() {
		return Duration.between(time(), Instant.ofEpochMilli(this.clock)).plusNanos(System.nanoTime() - this.takenAt);
	}

	public int depth() {
		String depth = this.fields.own(DEPTH);
		return (depth != null && depth.matches("\\d{1,15}"))
				? (int) Math.min(Integer.MAX_VALUE - 1, Long.parseLong(depth)) : 0;
	}

	public @Nullable String traceparent() {
		return this.fields.own(TRACEPARENT);
	}

	/**
	 * Returns whether it has a body, or may be for another group.
	 */
	boolean needsScript() {
		return this.fields.publishedAt() >= 0 || !bodyId().isEmpty();
	}

	long length() {
		return this.fields.length() + ((this.body != null) ? this.body.length : 0);
	}

	String trigger() {
		return Objects.requireNonNullElse(this.fields.own(TRIGGER), "");
	}

	String bodyId() {
		return Objects.requireNonNullElse(this.fields.own(BODY), "");
	}

}
