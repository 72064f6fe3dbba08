// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.migration;

import io.github.resilience4j.ratelimiter.annotation.RateLimiter;

/**
 * A limit by Resilience4j.
 */
class Resilience4jPartner {

	private final Partner partner = (question) -> new Answer(question.text());

	// @formatter:off
	@RateLimiter(name = "partner")
	public Answer ask(Question question) {
		return this.partner.ask(question);
	}
	// @formatter:on

	/** Somebody else's service. */
	interface Partner {

		Answer ask(Question question);

	}

	/** A question. */
	record Question(String text) {
	}

	/** An answer. */
	record Answer(String text) {
	}

}
