// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.ge.redis.ratelimit.Quota;
import io.ge.redis.ratelimit.RateLimitProperties.Headers;

/**
 * The response fields with the state of limits, the tightest first, as of
 * draft-ietf-httpapi-ratelimit-headers-10. The legacy fields show the tightest limit
 * only; {@code X-RateLimit-Reset} counts seconds from now.
 */
final class RateLimitFields {

	private static final String POLICY = "RateLimit-Policy";

	private static final String LIMIT = "RateLimit";

	/** Largest integer of a structured field. */
	private static final long LARGEST = 999_999_999_999_999L;

	private static final Comparator<Quota> TIGHTEST_FIRST = Comparator.comparingLong(Quota::remaining)
		.thenComparing(Quota::restoredAfter, Comparator.reverseOrder());

	private RateLimitFields() {
	}

	/**
	 * Adds new quotas to the earlier ones; limits on trial do not count.
	 */
	static List<Quota> merge(List<Quota> earlier, List<Quota> quotas) {
		List<Quota> all = new ArrayList<>(earlier);
		for (Quota quota : quotas) {
			if (!quota.limit().shadow()) {
				all.removeIf((known) -> known.limit().name().equals(quota.limit().name()));
				all.add(quota);
			}
		}
		return all;
	}

	static Map<String, String> of(Headers dialect, List<Quota> quotas) {
		List<Quota> sorted = quotas.stream().sorted(TIGHTEST_FIRST).toList();
		return switch (dialect) {
			case DRAFT_10 -> Map.of(POLICY, policy(sorted), LIMIT, limit(sorted));
			case LEGACY -> legacy(sorted.get(0));
			case NONE -> Map.of();
		};
	}

	private static Map<String, String> legacy(Quota tightest) {
		return Map.of("X-RateLimit-Limit", Long.toString(tightest.limit().limit()), "X-RateLimit-Remaining",
				Long.toString(integer(tightest.remaining())), "X-RateLimit-Reset",
				Long.toString(integer(ceilSeconds(tightest.restoredAfter()))));
	}

	private static String policy(List<Quota> quotas) {
		return quotas.stream()
			.map((quota) -> name(quota) + ";q=" + integer(quota.limit().limit()) + ";w="
					+ integer(Math.max(1, ceilSeconds(quota.limit().window()))))
			.collect(Collectors.joining(", "));
	}

	private static String limit(List<Quota> quotas) {
		return quotas.stream()
			.map((quota) -> name(quota) + ";r=" + integer(quota.remaining()) + ";t="
					+ integer(ceilSeconds(quota.restoredAfter())))
			.collect(Collectors.joining(", "));
	}

	// A string of a structured field is printable ASCII
	private static String name(Quota quota) {
		String name = quota.limit().name();
		StringBuilder quoted = new StringBuilder(name.length() + 2).append('"');
		for (int i = 0; i < name.length(); i++) {
			char c = name.charAt(i);
			if (c == '"' || c == '\\') {
				quoted.append('\\');
			}
			quoted.append((c < ' ' || c > '~') ? '?' : c);
		}
		return quoted.append('"').toString();
	}

	private static long ceilSeconds(Duration duration) {
		return duration.plusNanos(999_999_999).toSeconds();
	}

	private static long integer(long value) {
		return Math.max(0, Math.min(value, LARGEST));
	}

}
