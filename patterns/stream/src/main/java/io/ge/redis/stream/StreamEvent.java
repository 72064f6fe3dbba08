/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.stream;

import java.util.List;
import java.util.Locale;

import io.ge.redis.core.event.EventMeter;
import io.ge.redis.core.event.GuardEvent;

/**
 * Something happened to messages of a stream. Carries no key and no id.
 *
 * @param name the name of the definition, with a slash and the group where it concerns
 * one
 * @param kind what happened
 * @param amount how many messages, bytes, or nanoseconds
 */
public record StreamEvent(String name, Kind kind, long amount) implements GuardEvent {

	/** The meter of publishing, one for each definition. */
	public static final EventMeter PUBLISHED = EventMeter
		.counter("ge.redis.stream.published", "Attempts to publish messages")
		.of("stream")
		.by("outcome", List.of("ok", "duplicate", "rejected_full", "rejected_depth"));

	/** The meter of consuming, one for each group. */
	public static final EventMeter CONSUMED = EventMeter
		.counter("ge.redis.stream.consumed", "Deliveries that have ended")
		.of("stream", "group")
		.by("outcome", List.of("ok", "retry", "dead", "lost_lease"));

	private static final EventMeter DEAD_LETTERED = EventMeter
		.counter("ge.redis.stream.dead.lettered", "Messages that were given up")
		.of("stream", "group")
		.by("reason", List.of("attempts", "rejected", "lease_expired", "unreadable", "body_expired"));

	private static final EventMeter TRIMMED = EventMeter
		.counter("ge.redis.stream.trimmed", "Messages that were trimmed before they were acknowledged")
		.of("stream")
		.by("state", List.of("unread", "pending"));

	private static final EventMeter SPILLED = EventMeter
		.counter("ge.redis.stream.spilled.bytes", "Bytes of payloads that were kept apart")
		.of("stream");

	private static final EventMeter REDELIVERED = EventMeter
		.counter("ge.redis.stream.redelivered", "Deliveries after the first one of a message")
		.of("stream", "group");

	private static final EventMeter RECREATED = EventMeter
		.counter("ge.redis.stream.group.recreated", "Groups that were lost and made again")
		.of("stream", "group");

	private static final EventMeter REAPED = EventMeter
		.counter("ge.redis.stream.consumers.reaped", "Silent consumers that were removed")
		.of("stream", "group");

	private static final EventMeter BATCH = EventMeter
		.counter("ge.redis.stream.ack.batch", "Settlements, to be divided by the calls of the script stream/settle")
		.of("stream", "group");

	private static final EventMeter HANDLER = EventMeter.timer("ge.redis.stream.handler", "Calls of listeners")
		.of("stream", "group");

	private static final EventMeter END_TO_END = EventMeter
		.timer("ge.redis.stream.end.to.end", "From publishing to the end of the work")
		.of("stream", "group");

	@Override
	public String pattern() {
		return "stream";
	}

	@Override
	public String result() {
		return this.kind.name().toLowerCase(Locale.ROOT);
	}

	@Override
	public boolean isApplicationEvent() {
		return this.kind.rare;
	}

	@Override
	public EventMeter meter() {
		return this.kind.meter;
	}

	@Override
	public int series() {
		return this.kind.series;
	}

	/**
	 * The kinds of events.
	 */
	public enum Kind {

		/** Published. */
		OK(PUBLISHED, 0, false),
		/** Not published, since it was before. */
		DUPLICATE(PUBLISHED, 1, false),
		/** Not published, since the stream is full. */
		REJECTED_FULL(PUBLISHED, 2, true),
		/** Not published, since its chain is too deep. */
		REJECTED_DEPTH(PUBLISHED, 3, true),
		/** Bytes of a payload that was kept apart. */
		SPILLED(StreamEvent.SPILLED, 0, false),

		/** The work is done and acknowledged. */
		DONE(CONSUMED, 0, false),
		/** A failed message is to be delivered again. */
		RETRY(CONSUMED, 1, false),
		/** A failed message is given up. */
		DEAD(CONSUMED, 2, false),
		/** Another instance has taken over the message. */
		LOST_LEASE(CONSUMED, 3, true),

		/** Given up after the last attempt. */
		ATTEMPTS(DEAD_LETTERED, 0, true),
		/** Given up by the listener. */
		REJECTED(DEAD_LETTERED, 1, true),
		/** Given up, since the last instance that had it has died. */
		LEASE_EXPIRED(DEAD_LETTERED, 2, true),
		/** Given up, since it could not be read. */
		UNREADABLE(DEAD_LETTERED, 3, true),
		/** Given up, since its body has expired. */
		BODY_EXPIRED(DEAD_LETTERED, 4, true),

		/** Dropped by a publisher before a group has read it. */
		UNREAD(TRIMMED, 0, true),
		/** Gone from the stream before it was acknowledged. */
		PENDING(TRIMMED, 1, true),

		/** How long a listener took, in nanoseconds. */
		HANDLED(HANDLER, 0, false),
		/** Time from publishing to the end of the work, in nanoseconds. */
		END_TO_END(StreamEvent.END_TO_END, 0, false),
		/** Delivered for a second or further time. */
		REDELIVERED(StreamEvent.REDELIVERED, 0, false),
		/** A group was lost with its stream and is there again. */
		GROUP_RECREATED(RECREATED, 0, true),
		/** Consumers that were silent for long were removed. */
		REAPED(StreamEvent.REAPED, 0, true),
		/** Settlements that were sent together. */
		BATCH(StreamEvent.BATCH, 0, false);

		private final EventMeter meter;

		private final int series;

		private final boolean rare;

		Kind(EventMeter meter, int series, boolean rare) {
			this.meter = meter;
			this.series = series;
			this.rare = rare;
		}

	}

}
