/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.stream;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A message as it was read.
 *
 * @param stream the position of its stream in the definition
 * @param keys the keys of the stream
 * @param id its id
 * @param fields its fields, in their order
 * @param body what is kept apart of it, or {@code null} if nothing is or it is gone
 * @param clock milliseconds of the clock of Redis when it was taken
 * @param takenAt the system's nano time then
 */
record StreamEntry(int stream, StreamKeys keys, String id, StreamFields fields, byte @Nullable [] body, long clock,
		long takenAt) {

	/** Names the format; other versions are not read. */
	static final String VERSION = "v";

	static final String TRIGGER = "trigger";

	static final String DEPTH = "depth";

	static final String TIME = "time";

	static final String WORK_ITEM = "workItem";

	static final String CONTEXT = "context";

	static final String TRIGGERED_BY = "triggeredBy";

	static final String REASON = "reason";

	static final String TRACEPARENT = "traceparent";

	static final String PAYLOAD = "payload";

	/** Names the only group that handles a replayed message. */
	static final String TO = "ge_to";

	/** Names the key of a payload that is kept apart. */
	static final String BODY = "body";

	/**
	 * Returns when the message was published, by the clock of Redis.
	 */
	public Instant time() {
		return Instant.ofEpochMilli(number(TIME, Long.parseUnsignedLong(this.id.substring(0, this.id.indexOf('-')))));
	}

	private long number(String field, long otherwise) {
		String text = (this.fields.bytes(VERSION) != null) ? this.fields.get(field) : null;
		return (text != null && text.matches("\\d{1,15}")) ? Long.parseLong(text) : otherwise;
	}

	/**
	 * Returns how long ago the message was published, by the clock of Redis.
	 */
	public Duration age() {
		return Duration.between(time(), Instant.ofEpochMilli(this.clock)).plusNanos(System.nanoTime() - this.takenAt);
	}

	public int depth() {
		return (int) Math.min(Integer.MAX_VALUE - 1, number(DEPTH, 0));
	}

	public @Nullable String traceparent() {
		return this.fields.get(TRACEPARENT);
	}

	/**
	 * Returns whether it has a body, or may be for another group.
	 */
	boolean needsScript() {
		return !bodyId().isEmpty() || this.fields.bytes(TO) != null;
	}

	long length() {
		return this.fields.length() + ((this.body != null) ? this.body.length : 0);
	}

	String trigger() {
		String trigger = this.fields.get(TRIGGER);
		return (trigger != null) ? trigger : "";
	}

	String bodyId() {
		String body = (this.fields.bytes(VERSION) != null) ? this.fields.get(BODY) : null;
		return (body != null) ? body : "";
	}

}
