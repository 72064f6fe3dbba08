// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import io.ge.redis.GeRedisException;
import io.ge.redis.ratelimit.RateLimited;

import org.springframework.resilience.annotation.Retryable;

/**
 * The code of the page on the order of guards.
 */
class ComposedExamples {

	private final Partner partner;

	ComposedExamples(Partner partner) {
		this.partner = partner;
	}

	// @formatter:off
	@Retryable(excludes = GeRedisException.class)
	@RateLimited(name = "partner-api", limit = 5, window = "1s")
	public String ask(String question) {
		return this.partner.answer(question);
	}
	// @formatter:on

	/**
	 * Somebody else's service.
	 */
	interface Partner {

		String answer(String question);

	}

}
