// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.bulkhead;

import java.util.List;

import io.ge.redis.core.event.EventMeter;
import io.ge.redis.core.event.GuardEvent;

/**
 * A call came.
 *
 * @param name the name of the bulkhead
 * @param isAdmitted whether it proceeds
 */
public record BulkheadEvent(String name, boolean isAdmitted) implements GuardEvent {

	private static final List<String> RESULTS = List.of("full", "admitted");

	private static final EventMeter CALLS = EventMeter.counter("ge.redis.bulkhead.calls", "Calls of bulkheads")
		.of("bulkhead")
		.by("outcome", RESULTS);

	@Override
	public String pattern() {
		return "bulkhead";
	}

	@Override
	public String result() {
		return RESULTS.get(series());
	}

	@Override
	public EventMeter meter() {
		return CALLS;
	}

	@Override
	public int series() {
		return this.isAdmitted ? 1 : 0;
	}

}
