// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.List;
import java.util.Objects;

import io.ge.redis.ratelimit.RateLimited;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is refused of the limits in the environment when the application starts, with
 * Redis down, and what the developer reads then.
 */
class RateLimitStartupTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				GeRedisAutoConfiguration.class, RateLimitAutoConfiguration.class))
		.withBean("desk", Desk.class)
		.withPropertyValues("spring.data.redis.port=1");

	@Test
	void startsWithLimitsThatOnlyCodeUsesAndOverridesOfAnnotatedOnes() {
		this.runner
			.withPropertyValues("ge.redis.rate-limit.limits.code.limit=5",
					"ge.redis.rate-limit.limits.search.overrides.anna.limit=50",
					"ge.redis.rate-limit.limits.feed.limits[0].limit=5",
					"ge.redis.rate-limit.limits.feed.limits[0].window=1s",
					"ge.redis.rate-limit.limits.feed-1s.overrides.anna.limit=50",
					"ge.redis.rate-limit.limits[Desk.unnamed].shadow=true")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void overrideOfLimitThatDoesNotExistIsRefused() {
		assertRefused("limits.serach.overrides.anna.limit=5", "ge.redis.rate-limit.limits.serach: there is no limit",
				"one of Desk.unnamed, feed, search");
	}

	@Test
	void wrongPropertyOfAnnotatedLimitNamesPropertyAndMethod() {
		assertRefused("limits.search.limit=-5", "ge.redis.rate-limit.limits.search.limit must be above zero",
				"such as 100");
		assertRefused("limits.search.limit=0", "Desk.search()", "such as 100");
	}

	@Test
	void wrongPropertyOfLimitInCodeNamesTheProperty() {
		assertRefused("limits.code.limit=20000", "ge.redis.rate-limit.limits.code.limit is 20000, too large",
				"SLIDING_WINDOW_COUNTER");
	}

	@Test
	void overrideAboveTheExactLogIsRefused() {
		assertRefused("limits.search.overrides.anna.limit=20000",
				"ge.redis.rate-limit.limits.search.overrides.anna.limit is 20000, too large",
				"ge.redis.rate-limit.largest-exact-limit");
	}

	@Test
	void unknownAlgorithmNamesTheKnownOnes() {
		assertRefused("limits.search.algorithm=magic", "ge.redis.rate-limit.limits.search.algorithm", "magic",
				"FIXED_WINDOW", "SLIDING_WINDOW_COUNTER", "TOKEN_BUCKET");
	}

	@ParameterizedTest
	@ValueSource(strings = { "on-outage=default", "on-outage=DEFAULT", "on-outage=magic",
			"limits.search.on-outage=default", "limits.code.on-outage=default" })
	void outagePolicyThatIsNoneNamesThePolicies(String property) {
		assertRefused(property, "ge.redis.rate-limit." + property.split("=")[0], "is no outage policy here.",
				"Write deny, allow or local, or remove the property.");
	}

	@ParameterizedTest
	@CsvSource({ "ge.redis.lock.on-outage, default", "ge.redis.lock.on-outage, local",
			"ge.redis.lock.locks.a.on-outage, DEFAULT", "ge.redis.idempotency.operations.a.on-outage, local",
			"ge.redis.idempotency.on-outage, default", "ge.redis.blacklist.lists.a.on-outage, default",
			"ge.redis.blacklist.on-outage, other" })
	void outagePolicyThatThePatternDoesNotHaveIsRefused(String property, String value) {
		this.runner
			.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, IdempotencyAutoConfiguration.class,
					BlacklistAutoConfiguration.class, RefreshTokenAutoConfiguration.class))
			.withPropertyValues(property + "=" + value)
			.run((context) -> assertRefused(context, property + ": \"", "is no outage policy here.",
					property.contains("blacklist") ? "deny, allow or local" : "Write deny or allow,"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "my app", "my\tapp", "my\u00a0app", "my{app", "my}app", "my\u0007app", "" })
	void keyPrefixThatWouldBreakTheKeysIsRefused(String prefix) {
		this.runner.withPropertyValues("ge.redis.key-prefix=" + prefix)
			.run((context) -> assertRefused(context, "ge.redis.key-prefix: \"" + prefix + "\" cannot be",
					"without white space, braces and control characters"));
	}

	@Test
	void windowThatIsNoDurationIsNamed() {
		assertRefused("limits.search.window=soon", "ge.redis.rate-limit.limits.search.window", "soon");
	}

	@Test
	void windowWithoutUnitIsRefused() {
		assertRefused("limits.search.window=60", "ge.redis.rate-limit.limits.search.window: \"60\" has no unit.",
				"Write \"60s\"");
		assertRefused("limits.search.window=${seconds:60}", "\"60\" has no unit.", "Write \"60s\"");
	}

	@ParameterizedTest
	@ValueSource(strings = { "ge.redis.outage.command-timeout", "ge.redis.rate-limit.limits.search.window",
			"ge.redis.lock.lease-time", "ge.redis.lock.locks.a.max-hold", "ge.redis.idempotency.ttl",
			"ge.redis.blacklist.max-token-lifetime" })
	void durationThatIsTooLongIsRefused(String property) {
		for (String value : List.of("9223372036854775807s", "36526d", "-9223372036854775807s")) {
			this.runner
				.withConfiguration(
						AutoConfigurations.of(LockAutoConfiguration.class, IdempotencyAutoConfiguration.class,
								BlacklistAutoConfiguration.class, RefreshTokenAutoConfiguration.class))
				.withPropertyValues(property + "=" + value)
				.run((context) -> assertRefused(context, property + ": PT", " is too long.",
						"Write at most \"36525d\"."));
		}
	}

	@Test
	void durationsWithUnitsAndThoseOfOthersStartAsBefore() {
		this.runner
			.withPropertyValues("ge.redis.rate-limit.limits.search.window=PT1M",
					"ge.redis.rate-limit.limits.search.wait-time=0", "ge.redis.outage.command-timeout=300ms",
					"spring.data.redis.timeout=60")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void largestExactLimitThatIsNoneIsNamed() {
		assertRefused("largest-exact-limit=0", "ge.redis.rate-limit.largest-exact-limit must be above zero", "10000");
	}

	private void assertRefused(String property, String... expected) {
		this.runner.withPropertyValues("ge.redis.rate-limit." + property)
			.run((context) -> assertRefused(context, expected));
	}

	private static void assertRefused(AssertableApplicationContext context, String... expected) {
		assertThat(context).hasFailed();
		FailureAnalysis analysis = analyze(context);
		assertThat(analysis.getDescription() + analysis.getAction()).contains(expected);
	}

	// As Boot does when an application fails to start
	private static FailureAnalysis analyze(AssertableApplicationContext context) {
		Throwable failure = context.getStartupFailure();
		List<FailureAnalyzer> analyzers = SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, ArgumentResolver.of(Environment.class, new StandardEnvironment()),
					(type, name, ex) -> assertThat(name).doesNotStartWith("io.ge.redis"));
		return analyzers.stream()
			.map((analyzer) -> analyzer.analyze(failure))
			.filter(Objects::nonNull)
			.findFirst()
			.orElseThrow();
	}

	static class Desk {

		@RateLimited(name = "search", limit = 10)
		public void search() {
		}

		@RateLimited(name = "feed", limit = 10)
		public void feed() {
		}

		@RateLimited(limit = 10)
		public void unnamed() {
		}

	}

}
