// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.ge.redis.ratelimit.Quota;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimitProperties.Headers;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RateLimitHeaders}.
 */
class RateLimitFieldsTests {

	private static final Quota HOURLY = quota("hourly", 100, Duration.ofHours(1), 7, Duration.ofMillis(59_001));

	private static final Quota BURST = quota("burst", 10, Duration.ofMillis(1500), 2, Duration.ZERO);

	@Test
	void draftListsAllQuotasTheTightestFirst() {
		Map<String, String> fields = RateLimitHeaders.of(Headers.DRAFT_10, List.of(HOURLY, BURST));
		assertThat(fields).containsOnlyKeys("RateLimit-Policy", "RateLimit");
		assertThat(StructuredFieldList.parse(fields.get("RateLimit-Policy"))).containsExactly(
				new StructuredFieldList.Item("burst", Map.of("q", 10L, "w", 2L)),
				new StructuredFieldList.Item("hourly", Map.of("q", 100L, "w", 3600L)));
		assertThat(StructuredFieldList.parse(fields.get("RateLimit"))).containsExactly(
				new StructuredFieldList.Item("burst", Map.of("r", 2L, "t", 0L)),
				new StructuredFieldList.Item("hourly", Map.of("r", 7L, "t", 60L)));
	}

	@Test
	void amongEquallyTightTheLongestWaitIsFirst() {
		Quota day = quota("day", 10, Duration.ofDays(1), 0, Duration.ofHours(5));
		Quota second = quota("second", 10, Duration.ofSeconds(1), 0, Duration.ofSeconds(1));
		assertThat(
				StructuredFieldList.parse(RateLimitHeaders.of(Headers.DRAFT_10, List.of(second, day)).get("RateLimit")))
			.extracting(StructuredFieldList.Item::name)
			.containsExactly("day", "second");
	}

	@Test
	void legacyTellsOfTheTightest() {
		assertThat(RateLimitHeaders.of(Headers.LEGACY, List.of(HOURLY, BURST)))
			.isEqualTo(Map.of("X-RateLimit-Limit", "10", "X-RateLimit-Remaining", "2", "X-RateLimit-Reset", "0"));
		assertThat(RateLimitHeaders.of(Headers.LEGACY, List.of(HOURLY)))
			.isEqualTo(Map.of("X-RateLimit-Limit", "100", "X-RateLimit-Remaining", "7", "X-RateLimit-Reset", "60"));
	}

	@Test
	void noneTellsNothing() {
		assertThat(RateLimitHeaders.of(Headers.NONE, List.of(HOURLY))).isEmpty();
	}

	@Test
	void namesAndNumbersStayWithinTheSyntax() {
		RateLimit huge = RateLimit.of("a\"b\\c\r\nd\u00e4/**", 10, Duration.ofHours(1))
			.withAlgorithm(RateLimitAlgorithm.TOKEN_BUCKET)
			.withBurst(1_000_000);
		Map<String, String> fields = RateLimitHeaders.of(Headers.DRAFT_10,
				List.of(new Quota(huge, Long.MAX_VALUE, Duration.ofSeconds(Long.MAX_VALUE / 2))));
		assertThat(StructuredFieldList.parse(fields.get("RateLimit"))).containsExactly(new StructuredFieldList.Item(
				"a\"b\\c??d?/**", Map.of("r", 999_999_999_999_999L, "t", 999_999_999_999_999L)));
		assertThat(StructuredFieldList.parse(fields.get("RateLimit-Policy")).get(0).number("w")).isEqualTo(3600);
	}

	private static Quota quota(String name, long limit, Duration window, long remaining, Duration restoredAfter) {
		return new Quota(RateLimit.of(name, limit, window), remaining, restoredAfter);
	}

}
