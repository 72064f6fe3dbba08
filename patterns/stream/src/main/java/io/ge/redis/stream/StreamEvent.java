// SPDX-License-Identifier: Apache-2.0

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
	 * The kinds of events. {@code OK} is a message that was published, {@code DONE} one
	 * whose work is done and acknowledged. {@code DEAD} is one that is given up; a second
	 * event has the reason, from {@code ATTEMPTS} to {@code BODY_EXPIRED}. {@code UNREAD}
	 * were dropped by a publisher before a group has read them, {@code PENDING} were gone
	 * from the stream before they were acknowledged. {@code SPILLED} are bytes,
	 * {@code HANDLED} and {@code END_TO_END} nanoseconds, and {@code BATCH} settlements
	 * that were sent together.
	 */
	public enum Kind {

		OK(PUBLISHED, 0, false), DUPLICATE(PUBLISHED, 1, false), REJECTED_FULL(PUBLISHED, 2, true),
		REJECTED_DEPTH(PUBLISHED, 3, true),

		SPILLED(EventMeter.counter("ge.redis.stream.spilled.bytes", "Bytes of payloads that were kept apart")
			.of("stream"), false),

		DONE(CONSUMED, 0, false), RETRY(CONSUMED, 1, false), DEAD(CONSUMED, 2, false), LOST_LEASE(CONSUMED, 3, true),

		ATTEMPTS(DEAD_LETTERED, 0, true), REJECTED(DEAD_LETTERED, 1, true), LEASE_EXPIRED(DEAD_LETTERED, 2, true),
		UNREADABLE(DEAD_LETTERED, 3, true), BODY_EXPIRED(DEAD_LETTERED, 4, true),

		UNREAD(TRIMMED, 0, true), PENDING(TRIMMED, 1, true),

		HANDLED(EventMeter.timer("ge.redis.stream.handler", "Calls of listeners").of("stream", "group"), false),

		END_TO_END(EventMeter.timer("ge.redis.stream.end.to.end", "From publishing to the end of the work")
			.of("stream", "group"), false),

		REDELIVERED(EventMeter.counter("ge.redis.stream.redelivered", "Deliveries after the first one of a message")
			.of("stream", "group"), false),

		GROUP_RECREATED(EventMeter.counter("ge.redis.stream.group.recreated", "Groups that were lost and made again")
			.of("stream", "group"), true),

		REAPED(EventMeter.counter("ge.redis.stream.consumers.reaped", "Silent consumers that were removed")
			.of("stream", "group"), true),

		BATCH(EventMeter
			.counter("ge.redis.stream.ack.batch",
					"Settlements, to be divided by the calls of stream/settle and acknowledge")
			.of("stream", "group"), false);

		private final EventMeter meter;

		private final int series;

		private final boolean rare;

		Kind(EventMeter meter, boolean rare) {
			this(meter, 0, rare);
		}

		Kind(EventMeter meter, int series, boolean rare) {
			this.meter = meter;
			this.series = series;
			this.rare = rare;
		}

	}

}
