// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.ge.redis.ratelimit.RateLimitEvent;

import org.springframework.context.event.EventListener;

/**
 * The code of the page on observability.
 */
class ObservabilityExamples {

	private final Alerts alerts = new Alerts();

	// @formatter:off
	@EventListener
	public void onDecision(RateLimitEvent event) {
		if (event.outcome() == RateLimitEvent.Outcome.DENIED) {
			this.alerts.add(event.name());
		}
	}
	// @formatter:on

	List<String> alerts() {
		return this.alerts.names;
	}

	private static final class Alerts {

		private final List<String> names = new CopyOnWriteArrayList<>();

		void add(String name) {
			this.names.add(name);
		}

	}

}
