// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import io.ge.redis.core.outage.OutagePolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Rate limits in the environment.
 *
 * @param enabled whether methods with `@RateLimited` are guarded
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param onOutage what happens while Redis is unavailable: allow, deny or local
 * @param shadow whether all limits only count and publish events, and never refuse
 * @param largestExactLimit largest limit of a sliding window, which needs about 10 bytes
 * in Redis per permit and key
 * @param headers response headers that inform clients about their limits: draft-10,
 * legacy or none
 * @param showDeniedKeys whether the endpoint shows the most denied keys in plain text
 * instead of hashed
 * @param trustedHops number of proxies in front of the application that append to
 * X-Forwarded-For; zero takes the address that the web server reports, which
 * server.forward-headers-strategy sets
 * @param limits limits by name; their settings take precedence over the annotations
 * @param rules limits on HTTP requests, without annotations
 */
@ConfigurationProperties("ge.redis.rate-limit")
public record RateLimitProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue("local") OutagePolicy onOutage, @DefaultValue("false") boolean shadow,
		@DefaultValue("10000") long largestExactLimit, @DefaultValue("draft-10") Headers headers,
		@DefaultValue("false") boolean showDeniedKeys, @DefaultValue("0") int trustedHops,
		@DefaultValue Map<String, Limit> limits, @DefaultValue List<Rule> rules) {

	private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9-]+");

	public RateLimitProperties {
		Assert.isTrue(largestExactLimit > 0, () -> "ge.redis.rate-limit.largest-exact-limit must be above zero, but is "
				+ largestExactLimit + ": set it to the largest limit that may be counted exactly, such as 10000");
		Assert.isTrue(trustedHops >= 0, () -> "ge.redis.rate-limit.trusted-hops must not be negative, but is "
				+ trustedHops + ": set it to the number of proxies in front of the application");
	}

	/**
	 * One limit. Settings that are not set come from the annotation.
	 *
	 * @param limit permits per window
	 * @param window length of the window
	 * @param algorithm algorithm that counts permits
	 * @param burst permits available at once after a pause, for the token bucket
	 * @param waitTime longest time that a call waits for permits
	 * @param onOutage what happens while Redis is unavailable: allow, deny or local
	 * @param shadow whether the limit only counts and publishes events, and never refuses
	 * @param limits several limits that are decided together under this name, instead of
	 * one limit and window; each is named by the name and its window, such as search-1s
	 * @param overrides settings for single keys; the parts of a key are joined with ':'
	 */
	public record Limit(@Nullable Long limit, @Nullable Duration window, @Nullable RateLimitAlgorithm algorithm,
			@Nullable Long burst, @Nullable Duration waitTime, @Nullable OutagePolicy onOutage,
			@Nullable Boolean shadow, @DefaultValue List<Band> limits,
			@DefaultValue Map<String, RateLimitChange> overrides) {

		/** Settings that leave everything to the annotation. */
		public static final Limit UNSET = new Limit(null, null, null, null, null, null, null, List.of(), Map.of());

	}

	/**
	 * One of several limits under one name, such as 10 per second and 1,000 per hour.
	 *
	 * @param limit permits per window
	 * @param window length of the window
	 * @param algorithm algorithm that counts permits; the name's algorithm if not set
	 * @param burst permits available at once after a pause, for the token bucket
	 */
	public record Band(long limit, @Nullable Duration window, @Nullable RateLimitAlgorithm algorithm,
			@Nullable Long burst) {
	}

	/**
	 * Limits on the HTTP requests that match a path and a method. All rules that a
	 * request matches apply; the rules of one phase are decided together, all or nothing.
	 *
	 * @param name name of the limit, which may have more settings under
	 * ge.redis.rate-limit.limits; methods and path if not set
	 * @param path path patterns within the application, such as /api/**
	 * @param methods HTTP methods, where GET includes HEAD; all if empty
	 * @param key key to limit by: client-address (IPv6 by its /64 network), principal,
	 * header:NAME (by the hash of its value) or a SpEL expression over #request; all
	 * requests together if not set
	 * @param phase whether to decide before or after authentication; by default after it
	 * if the key is the principal, else before
	 * @param onEmptyKey what happens to a request without the key: error, skip or shared
	 * @param limit permits per window
	 * @param window length of the window
	 * @param algorithm algorithm that counts permits
	 * @param burst permits available at once after a pause, for the token bucket
	 * @param cost permits that a request takes; zero only checks
	 * @param limits names of limits under ge.redis.rate-limit.limits that apply instead
	 * of a limit described here
	 */
	public record Rule(@Nullable String name, @DefaultValue List<String> path, @DefaultValue List<String> methods,
			@Nullable String key, @Nullable Phase phase, @DefaultValue("error") OnEmptyKey onEmptyKey,
			@Nullable Long limit, @Nullable Duration window, @Nullable RateLimitAlgorithm algorithm,
			@Nullable Long burst, @DefaultValue("1") long cost, @DefaultValue List<String> limits) {
	}

	/**
	 * When a rule decides.
	 */
	public enum Phase {

		/** Before the request is authenticated, so that guessing is limited as well. */
		BEFORE_AUTHENTICATION,

		/** After the request is authenticated, when its principal is known. */
		AFTER_AUTHENTICATION

	}

	/**
	 * The dialect of the response fields.
	 */
	public enum Headers {

		/** RateLimit-Policy and RateLimit, as in revision 10 of the IETF draft. */
		DRAFT_10,

		/** X-RateLimit-Limit, X-RateLimit-Remaining and X-RateLimit-Reset, in seconds. */
		LEGACY,

		/** No fields but Retry-After. */
		NONE

	}

	/**
	 * Returns the property path of the settings of a name. Other characters than letters,
	 * digits and dashes need brackets there.
	 * @param name the name
	 */
	public static String path(String name) {
		return "ge.redis.rate-limit.limits" + segment(name);
	}

	/**
	 * Returns a name as a part of a property.
	 * @param name the name
	 * @return the name with a dot before it or in brackets
	 */
	public static String segment(String name) {
		return PLAIN.matcher(name).matches() ? "." + name : "[" + name + "]";
	}

	/**
	 * Returns what differs for single keys.
	 * @return the changes by limit and key
	 */
	public Map<String, Map<String, RateLimitChange>> overrides() {
		Map<String, Map<String, RateLimitChange>> overrides = new HashMap<>();
		this.limits.forEach((name, limit) -> {
			if (!limit.overrides().isEmpty()) {
				overrides.put(name, limit.overrides());
			}
		});
		return overrides;
	}

	/**
	 * Returns the settings of a name.
	 * @param name the name
	 * @return the settings, {@link Limit#UNSET} if there are none
	 */
	public Limit limit(String name) {
		return this.limits.getOrDefault(name, Limit.UNSET);
	}

}
