// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker;

import java.util.List;
import java.util.Locale;

import io.ge.redis.core.event.EventMeter;
import io.ge.redis.core.event.GuardEvent;
import org.jspecify.annotations.Nullable;

/**
 * A circuit has changed its state. Published on every instance; counted only on the
 * instance that changed it.
 *
 * @param name the name of the breaker
 * @param to the state
 * @param by the reason: rate, slow, probe, operator, or local for the breaker of this
 * instance alone
 * @param own whether this instance has changed it
 */
public record CircuitBreakerEvent(String name, CircuitState to, String by, boolean own) implements GuardEvent {

	private static final List<String> REASONS = List.of("rate", "slow", "probe", "operator", "local");

	private static final EventMeter TRANSITIONS = EventMeter
		.counter("ge.redis.breaker.transitions", "Changes of the state of circuits")
		.of("breaker")
		.by("to", CircuitState.values())
		.by("by", REASONS);

	@Override
	public String pattern() {
		return "breaker";
	}

	@Override
	public String result() {
		return this.to.name().toLowerCase(Locale.ROOT);
	}

	@Override
	public @Nullable EventMeter meter() {
		return this.own ? TRANSITIONS : null;
	}

	@Override
	public int series() {
		return this.to.ordinal() * REASONS.size() + REASONS.indexOf(this.by);
	}

}
