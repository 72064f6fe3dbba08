/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.time.Duration;
import java.util.Map;

import io.ge.redis.core.outage.OutagePolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Rate limits in the environment.
 *
 * @param enabled whether methods with {@code @RateLimited} are guarded
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param onOutage what happens while Redis is away: allow, deny or local
 * @param limits limits by name, which win over the annotations
 */
@ConfigurationProperties("ge.redis.rate-limit")
public record RateLimitProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue("local") OutagePolicy onOutage, @DefaultValue Map<String, Limit> limits) {

	/**
	 * One limit. What is not set is taken from the annotation.
	 *
	 * @param limit calls per window
	 * @param window length of the window
	 * @param algorithm how permits are counted
	 * @param burst calls admitted at once after a pause, for the token bucket
	 * @param onOutage what happens while Redis is away: allow, deny or local
	 */
	public record Limit(@Nullable Long limit, @Nullable Duration window, @Nullable RateLimitAlgorithm algorithm,
			@Nullable Long burst, @Nullable OutagePolicy onOutage) {

		static final Limit UNSET = new Limit(null, null, null, null, null);

	}

	Limit limit(String name) {
		return this.limits.getOrDefault(name, Limit.UNSET);
	}

}
