// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * The order of the filters, relative to the filter of Spring Security, from the outermost
 * to the innermost.
 */
enum WebFilterOrder {

	/** Answers for all filters behind it. */
	REFUSAL(-3),

	/** Limits requests before they are authenticated. */
	RATE_LIMIT_BEFORE_AUTHENTICATION(-1),

	/** Limits requests whose caller is known. */
	RATE_LIMIT_AFTER_AUTHENTICATION(1);

	/** Boot's default order of Spring Security's filter. */
	private static final int SECURITY_FILTER = -100;

	private final int distance;

	WebFilterOrder(int distance) {
		this.distance = distance;
	}

	public int inServlets(Environment environment) {
		return this.distance
				+ Binder.get(environment).bind("spring.security.filter.order", Integer.class).orElse(SECURITY_FILTER);
	}

	public int inWebFlux() {
		return this.distance + SECURITY_FILTER;
	}

}
