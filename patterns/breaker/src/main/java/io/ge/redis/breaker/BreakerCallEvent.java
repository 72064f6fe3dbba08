// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker;

import java.util.List;

import io.ge.redis.core.event.EventMeter;
import io.ge.redis.core.event.GuardEvent;

/**
 * A call has ended or was refused. No application event.
 *
 * @param name the name of the breaker
 * @param result success, failure, slow, ignored, refused or shadow_refused
 * @param amount the duration in nanoseconds, 0 if it was refused
 */
public record BreakerCallEvent(String name, String result, long amount) implements GuardEvent {

	private static final List<String> RESULTS = List.of("success", "failure", "slow", "ignored", "refused",
			"shadow_refused");

	/** Timer of calls. */
	public static final EventMeter CALLS = EventMeter.timer("ge.redis.breaker.calls", "Calls of circuit breakers")
		.of("breaker")
		.by("outcome", RESULTS);

	@Override
	public String pattern() {
		return "breaker";
	}

	@Override
	public boolean isApplicationEvent() {
		return false;
	}

	@Override
	public EventMeter meter() {
		return CALLS;
	}

	@Override
	public int series() {
		return RESULTS.indexOf(this.result);
	}

}
