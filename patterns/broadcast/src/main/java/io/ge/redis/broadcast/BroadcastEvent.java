// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.broadcast;

import java.util.List;
import java.util.Locale;

import io.ge.redis.core.event.EventMeter;
import io.ge.redis.core.event.GuardEvent;

/**
 * Event of a channel, on this instance.
 *
 * @param name the name of the channel
 * @param outcome the outcome
 * @param amount how often
 */
public record BroadcastEvent(String name, Outcome outcome, long amount) implements GuardEvent {

	private static final EventMeter RECEIVED = EventMeter.counter("ge.redis.broadcast.received", "Messages received")
		.of("channel")
		.by("outcome", List.of("ok", "retry", "skipped", "dropped"));

	@Override
	public String pattern() {
		return "broadcast";
	}

	@Override
	public String result() {
		return this.outcome.name().toLowerCase(Locale.ROOT);
	}

	@Override
	public EventMeter meter() {
		return this.outcome.meter;
	}

	@Override
	public int series() {
		return (meter() == RECEIVED) ? this.outcome.ordinal() : 0;
	}

	/**
	 * The events of a channel. A message is {@code SKIPPED} after its last attempt, and
	 * {@code DROPPED} if an ephemeral channel has too many that wait.
	 */
	public enum Outcome {

		OK, RETRY, SKIPPED, DROPPED,

		PUBLISHED(EventMeter.counter("ge.redis.broadcast.published", "Messages published by this instance")),

		GAP(EventMeter.counter("ge.redis.broadcast.gap", "Messages missed by this instance, at least")),

		RECONNECTED(EventMeter.counter("ge.redis.broadcast.reconnects", "Interruptions of an ephemeral channel"));

		private final EventMeter meter;

		Outcome() {
			this.meter = RECEIVED;
		}

		Outcome(EventMeter meter) {
			this.meter = meter.of("channel");
		}

	}

}
