/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

import io.ge.redis.ratelimit.Quota;

/**
 * The response fields {@code RateLimit-Policy} and {@code RateLimit} in the syntax of
 * draft-ietf-httpapi-ratelimit-headers-10: structured field lists (RFC 9651) of the
 * policies' names with their parameters, the tightest first.
 */
final class RateLimitFields {

	static final String POLICY = "RateLimit-Policy";

	static final String LIMIT = "RateLimit";

	/** Largest integer of a structured field. */
	private static final long LARGEST = 999_999_999_999_999L;

	private static final Comparator<Quota> TIGHTEST_FIRST = Comparator.comparingLong(Quota::remaining);

	private RateLimitFields() {
	}

	static String policy(List<Quota> quotas) {
		return quotas.stream()
			.sorted(TIGHTEST_FIRST)
			.map((quota) -> name(quota) + ";q=" + integer(quota.limit().limit()) + ";w="
					+ integer(Math.max(1, Problem.ceilSeconds(quota.limit().window()))))
			.collect(Collectors.joining(", "));
	}

	static String limit(List<Quota> quotas) {
		return quotas.stream()
			.sorted(TIGHTEST_FIRST)
			.map((quota) -> name(quota) + ";r=" + integer(quota.remaining()) + ";t="
					+ integer(Problem.ceilSeconds(quota.restoredAfter())))
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

	private static long integer(long value) {
		return Math.max(0, Math.min(value, LARGEST));
	}

}
