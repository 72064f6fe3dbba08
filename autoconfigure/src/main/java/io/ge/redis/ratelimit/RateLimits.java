/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.NamedSettings;
import io.ge.redis.core.invocation.Settings;
import io.ge.redis.core.outage.OutagePolicy;
import org.jspecify.annotations.Nullable;

/**
 * The limits of the application by name: merged from properties, annotations and
 * defaults, in that order.
 */
final class RateLimits {

	private static final Duration DEFAULT_WINDOW = Duration.ofMinutes(1);

	private static final String NO_LIMIT = "it has no limit anywhere.";

	private final Supplier<RateLimitProperties> properties;

	private final NamedSettings<RateLimit> annotated = new NamedSettings<>();

	RateLimits(Supplier<RateLimitProperties> properties) {
		this.properties = properties;
	}

	/**
	 * Merges what an annotation says with the properties, and registers the result.
	 */
	RateLimit define(String name, RateLimitProperties.Limit attributes, Settings settings, GuardedMethod method) {
		RateLimit limit;
		try {
			limit = merge(name, attributes, settings);
		}
		catch (IllegalArgumentException ex) {
			throw method.problem(String.valueOf(ex.getMessage()),
					"Correct the annotation or ge.redis.rate-limit.limits." + name + ".*", ex);
		}
		if (limit == null) {
			throw method.problem(NO_LIMIT,
					"Set limit = ... in the annotation or ge.redis.rate-limit.limits." + name + ".limit.");
		}
		this.annotated.register(name, limit, method);
		return limit;
	}

	/**
	 * Merges what a rule says with the properties of that name, and registers the result.
	 */
	@Nullable RateLimit define(String name, RateLimitProperties.Limit attributes, String property) {
		RateLimit limit;
		try {
			limit = merge(name, attributes, new Settings());
		}
		catch (IllegalArgumentException ex) {
			throw new GuardConfigurationException(property, String.valueOf(ex.getMessage()),
					"Correct it, or ge.redis.rate-limit.limits." + name + ".*", ex);
		}
		if (limit != null) {
			this.annotated.register(name, limit, property);
		}
		return limit;
	}

	/**
	 * Returns a limit for use in code.
	 */
	RateLimit get(String name) {
		Map<String, RateLimit> known = this.annotated.all();
		if (known.containsKey(name)) {
			return known.get(name);
		}
		try {
			RateLimit limit = merge(name, RateLimitProperties.Limit.UNSET, new Settings());
			if (limit != null) {
				return limit;
			}
		}
		catch (IllegalArgumentException ex) {
			throw new GuardConfigurationException("ge.redis.rate-limit.limits." + name, String.valueOf(ex.getMessage()),
					"Correct the property.", ex);
		}
		throw new IllegalArgumentException("There is no rate limit '" + name + "': set ge.redis.rate-limit.limits."
				+ name + ".limit, or use the name of an annotated limit");
	}

	private @Nullable RateLimit merge(String name, RateLimitProperties.Limit attributes, Settings settings) {
		RateLimitProperties all = this.properties.get();
		RateLimitProperties.Limit property = all.limit(name);
		Long limit = settings.pickOptional("limit", property.limit(), attributes.limit());
		if (limit == null) {
			return null;
		}
		RateLimitAlgorithm algorithm = settings.pick("algorithm", property.algorithm(), attributes.algorithm(),
				RateLimitAlgorithm.SLIDING_WINDOW);
		return new RateLimit(name, limit,
				settings.pick("window", property.window(), attributes.window(), DEFAULT_WINDOW), algorithm,
				settings.pick("burst", property.burst(), attributes.burst(), limit),
				settings.pick("waitTime", property.waitTime(), attributes.waitTime(), Duration.ZERO),
				settings.pick("lease", property.lease(), attributes.lease(), 1),
				settings.pick("onOutage", property.onOutage(), attributes.onOutage(), all.onOutage())
					.orElse(OutagePolicy.LOCAL),
				settings.pick("shadow", property.shadow(), attributes.shadow(), all.shadow()));
	}

}
