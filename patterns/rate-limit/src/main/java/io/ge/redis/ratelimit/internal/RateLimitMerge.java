// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.ge.redis.core.invocation.Settings;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimitProperties;
import org.jspecify.annotations.Nullable;

/**
 * Merges what the properties and an annotation say of one name: properties win over the
 * annotation, which wins over the default. Usually that is one limit; several if the
 * properties list them as bands, which replace limit, window and burst of the annotation.
 */
record RateLimitMerge(String name, RateLimitProperties properties, RateLimitProperties.Limit attributes) {

	private static final Duration DEFAULT_WINDOW = Duration.ofMinutes(1);

	private static final TimeUnit[] UNITS = { TimeUnit.DAYS, TimeUnit.HOURS, TimeUnit.MINUTES, TimeUnit.SECONDS,
			TimeUnit.MILLISECONDS, TimeUnit.MICROSECONDS };

	private static final String[] SUFFIXES = { "d", "h", "m", "s", "ms", "us" };

	List<Merged> merge() {
		RateLimitProperties.Limit property = this.properties.limit(this.name);
		if (!property.limits().isEmpty()) {
			return bands(property);
		}
		Merged merged = one(this.name, property, this.attributes, path(""));
		return (merged != null) ? List.of(merged) : List.of();
	}

	private List<Merged> bands(RateLimitProperties.Limit property) {
		if (property.limit() != null || property.window() != null || property.burst() != null) {
			throw new InvalidRateLimitException(
					path("limits") + " cannot be set together with a limit, window or burst of '" + this.name + "'.",
					"Add it to the list as one more limit, or remove the list.");
		}
		List<Merged> merged = new ArrayList<>(property.limits().size());
		Set<Duration> windows = new HashSet<>();
		for (int i = 0; i < property.limits().size(); i++) {
			RateLimitProperties.Band band = property.limits().get(i);
			String place = path("limits[" + i + "].");
			Duration window = new RateLimitChecks(place::concat).window(band.window());
			if (!windows.add(window)) {
				throw new InvalidRateLimitException(
						place + "window is " + text(window) + ", as that of another limit of '" + this.name + "'.",
						"Keep the smaller limit of the two.");
			}
			Merged one = one(this.name + "-" + text(window), withBand(property, band), withoutBand(this.attributes),
					place);
			if (one != null) {
				merged.add(one);
			}
		}
		return merged;
	}

	// In the largest unit without a fraction, as users write it: 1h or 90s
	private static String text(Duration window) {
		long nanos = window.toNanos();
		for (int i = 0; i < UNITS.length; i++) {
			long unit = UNITS[i].toNanos(1);
			if (nanos % unit == 0) {
				return nanos / unit + SUFFIXES[i];
			}
		}
		return nanos + "ns";
	}

	private static RateLimitProperties.Limit withBand(RateLimitProperties.Limit common, RateLimitProperties.Band band) {
		return new RateLimitProperties.Limit(band.limit(), band.window(),
				(band.algorithm() != null) ? band.algorithm() : common.algorithm(), band.burst(), common.waitTime(),
				common.onOutage(), common.shadow(), List.of(), Map.of());
	}

	private static RateLimitProperties.Limit withoutBand(RateLimitProperties.Limit attributes) {
		return new RateLimitProperties.Limit(null, null, attributes.algorithm(), null, attributes.waitTime(),
				attributes.onOutage(), attributes.shadow(), List.of(), Map.of());
	}

	private @Nullable Merged one(String limitName, RateLimitProperties.Limit property,
			RateLimitProperties.Limit attributes, String place) {
		Settings settings = new Settings();
		Long limit = settings.pickOptional("limit", property.limit(), attributes.limit());
		if (limit == null) {
			return null;
		}
		RateLimitChecks checks = new RateLimitChecks((attribute) -> label(attribute, property, place));
		checks.limit(limit);
		Duration window = settings.pick("window", property.window(), attributes.window(), DEFAULT_WINDOW);
		checks.window(window);
		RateLimitAlgorithm algorithm = settings.pick("algorithm", property.algorithm(), attributes.algorithm(),
				RateLimitAlgorithm.SLIDING_WINDOW);
		Long burst = burst(property, attributes);
		if (burst != null) {
			checks.burst(burst, algorithm);
		}
		burst = settings.pick("burst", property.burst(), burst, limit);
		Duration waitTime = settings.pick("waitTime", property.waitTime(), attributes.waitTime(), Duration.ZERO);
		checks.waitTime(waitTime);
		OutagePolicy onOutage = settings.pick("onOutage", property.onOutage(), attributes.onOutage(),
				this.properties.onOutage());
		boolean shadow = settings.pick("shadow", shadow(property), attributes.shadow(), false);
		RateLimit merged;
		try {
			merged = new RateLimit(limitName, limit, window, algorithm, burst, waitTime, onOutage, shadow);
		}
		catch (IllegalArgumentException ex) {
			// What only the algorithm rules out
			throw new InvalidRateLimitException(label("limit", property, place) + ": " + ex.getMessage(),
					"Lower the limit or the burst.");
		}
		checks.exact(merged, this.properties.largestExactLimit());
		return new Merged(merged, settings);
	}

	// A burst in the annotation belongs to the algorithm there
	private static @Nullable Long burst(RateLimitProperties.Limit property, RateLimitProperties.Limit attributes) {
		if (property.burst() != null) {
			return property.burst();
		}
		boolean otherAlgorithm = property.algorithm() != null && property.algorithm() != attributes.algorithm();
		return otherAlgorithm && property.algorithm() != RateLimitAlgorithm.TOKEN_BUCKET ? null : attributes.burst();
	}

	private @Nullable Boolean shadow(RateLimitProperties.Limit property) {
		if (property.shadow() == null && this.properties.shadow()) {
			return Boolean.TRUE;
		}
		return property.shadow();
	}

	private String label(String attribute, RateLimitProperties.Limit property, String place) {
		return switch (attribute) {
			case "limit" -> (property.limit() != null) ? place + "limit" : attribute;
			case "window" -> (property.window() != null) ? place + "window" : attribute;
			case "burst" -> (property.burst() != null) ? place + "burst" : attribute;
			case "waitTime" -> (property.waitTime() != null) ? path("wait-time") : attribute;
			default -> attribute;
		};
	}

	private String path(String attribute) {
		return RateLimitProperties.path(this.name) + "." + attribute;
	}

	public record Merged(RateLimit limit, Settings settings) {
	}

}
