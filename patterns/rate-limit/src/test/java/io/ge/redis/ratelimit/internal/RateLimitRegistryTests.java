// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimitChange;
import io.ge.redis.ratelimit.RateLimitProperties;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link RateLimitRegistry}: limits that stand in the properties or in code
 * only.
 */
public class RateLimitRegistryTests {

	@Test
	void limitOfThePropertiesHasDefaults() {
		assertThat(limits("limits.mail.limit", "5").get("mail"))
			.containsExactly(RateLimit.of("mail", 5, Duration.ofMinutes(1)));
	}

	@Test
	void bandsAreNamedByTheirWindow() {
		RateLimitRegistry limits = limits("limits.search.limits[0].limit", "10", "limits.search.limits[0].window",
				"1000ms", "limits.search.limits[1].limit", "1000", "limits.search.limits[1].window", "60m",
				"limits.search.limits[1].algorithm", "token-bucket", "limits.search.limits[1].burst", "50",
				"limits.search.shadow", "true");
		RateLimit second = RateLimit.of("search-1s", 10, Duration.ofSeconds(1)).withShadow(true);
		RateLimit hour = RateLimit.of("search-1h", 1000, Duration.ofHours(1))
			.withAlgorithm(RateLimitAlgorithm.TOKEN_BUCKET)
			.withBurst(50)
			.withShadow(true);
		assertThat(limits.get("search")).containsExactly(second, hour);
		assertThat(limits.get("search-1h")).containsExactly(hour);
		assertThatNoException().isThrownBy(() -> limits.current().verify());
	}

	@ParameterizedTest
	@CsvSource({ "search,true", "search-1s,true", "search-1h,true", "search-1m,false", "other,false" })
	void endpointFindsALimitOfAListByItsOwnName(String name, boolean exists) {
		RateLimitRegistry limits = limits("limits.search.limits[0].limit", "10", "limits.search.limits[0].window", "1s",
				"limits.search.limits[1].limit", "1000", "limits.search.limits[1].window", "1h");
		assertThat(new RateLimitControl(limits, null, null, null, null, null).exists(name)).isEqualTo(exists);
	}

	@ParameterizedTest
	@CsvSource({ "1ms,1ms", "1500ms,1500ms", "90s,90s", "60s,1m", "1440m,1d", "36h,36h", "PT0.0015S,1500us",
			"PT0.001000001S,1000001ns" })
	void windowIsNamedInTheLargestUnitWithoutFraction(String written, String named) {
		assertThat(limits("limits.a.limits[0].limit", "1", "limits.a.limits[0].window", written).get("a"))
			.extracting(RateLimit::name)
			.containsExactly("a-" + named);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					limits.a.limit=0                                  | limits.a.limit must be above zero, but is 0.     | such as 100
					limits.a.limit=-7                                 | limits.a.limit must be above zero, but is -7.    | such as 100
					limits.a.limit=1,limits.a.window=0s               | limits.a.window must be between 1ms and          | such as 10s
					limits.a.limit=1,limits.a.window=-5s              | limits.a.window must be between 1ms and          | such as 10s
					limits.a.limit=1,limits.a.window=PT9999999999H    | limits.a.window must be between 1ms and          | such as 10s
					limits.a.limit=1,limits.a.burst=2                 | limits.a.burst has a meaning for TOKEN_BUCKET    | set the algorithm
					limits.a.limit=1,limits.a.burst=0                 | limits.a.burst must be above zero, but is 0.     | leave it out
					limits.a.limit=5,limits.a.wait-time=-1s           | limits.a.wait-time must be between zero and      | such as 2s
					limits.a.limit=5,limits.a.wait-time=61m           | limits.a.wait-time must be between zero and      | such as 2s
					limits.a.limit=10001                              | limits.a.limit is 10001, too large to be counted exactly | SLIDING_WINDOW_COUNTER
					limits.a.limit=10001                              | limits.a.limit is 10001, too large               | raise ge.redis.rate-limit.largest-exact-limit, which is 10000
					limits.a.limit=5000000000,limits.a.algorithm=fixed-window | limits.a.limit must be at most | TOKEN_BUCKET
					limits.a.limit=2000,limits.a.window=1ms,limits.a.algorithm=token-bucket | limits.a.limit is 2000 per PT0.001S, but TOKEN_BUCKET gives at most one permit per microsecond | Lower the limit
					limits.a.limit=1,limits.a.window=1h,limits.a.algorithm=token-bucket,limits.a.burst=300000 | limits.a.burst is 300000, and a bucket that gets 1 per PT1H takes longer to fill than | Lower the burst
					limits.a.limits[0].limit=0,limits.a.limits[0].window=1s | limits.a.limits[0].limit must be above zero | such as 100
					limits.a.limits[0].window=1s                      | limits.a.limits[0].limit must be above zero      | such as 100
					limits.a.limits[0].limit=1                        | limits.a.limits[0].window is missing             | such as 10s
					limits.a.limits[0].limit=20000,limits.a.limits[0].window=1s | limits.a.limits[0].limit is 20000, too large | SLIDING_WINDOW_COUNTER
					limits.a.limit=1,limits.a.limits[0].limit=1,limits.a.limits[0].window=1s | limits.a.limits cannot be set together with a limit | one more limit
					limits.a.window=1s,limits.a.limits[0].limit=1,limits.a.limits[0].window=1s | limits.a.limits cannot be set together | one more limit
					limits.a.limits[0].limit=1,limits.a.limits[0].window=60s,limits.a.limits[1].limit=2,limits.a.limits[1].window=1m | limits.a.limits[1].window is 1m, like the window of another limit | Keep the smaller
					limits.a.window=1s                                | there is no limit 'a' whose settings             | set ge.redis.rate-limit.limits.a.limit
					limits.a.overrides.anna.limit=1                   | there is no limit 'a' whose settings             | set ge.redis.rate-limit.limits.a.limit
					limits.a.limit=1,limits.a.overrides.anna.limit=0  | limits.a.overrides.anna.limit must be above zero | such as 100
					limits.a.limit=1,limits.a.overrides.anna.window=0s | limits.a.overrides.anna.window must be between  | such as 10s
					limits.a.limit=1,limits.a.overrides.anna.burst=2  | limits.a.overrides.anna.burst has a meaning      | set the algorithm
					limits.a.limit=1,limits.a.overrides.anna.limit=20000 | limits.a.overrides.anna.limit is 20000, too large | SLIDING_WINDOW_COUNTER
					limits.a.limit=1,limits.a.overrides[a:b].limit=0  | limits.a.overrides[a:b].limit must be above zero | such as 100
					limits.a.limit=2000,limits.a.algorithm=token-bucket,limits.a.overrides.anna.window=1ms | limits.a.overrides.anna.limit is 2000 per PT0.001S, but TOKEN_BUCKET | Lower the limit
					limits[A.b].limit=0                               | limits[A.b].limit must be above zero             | such as 100
					limits.a.limits[0].limit=1,limits.a.limits[0].window=1s,limits.a.overrides.anna.limit=5 | limits.a.overrides.anna could mean any | limits.a-1s.overrides.anna.
					limits.a.limits[0].limit=1,limits.a.limits[0].window=1s,limits.a-1s.shadow=true | only overrides can be set for one of the limits of 'a' | beside its list
					limits.a.limits[0].limit=1,limits.a.limits[0].window=1s,limits.a-1s.limit=5 | the name 'a-1s' would belong to limits of both | Use another name
					limits.a.limits[0].limit=1,limits.a.limits[0].window=1s,limits.a-1s.overrides.anna.limit=0 | limits.a-1s.overrides.anna.limit must be above zero | such as 100
					""")
	void refusesAtStartupWhatCannotWork(String properties, String problem, String remedy) {
		RateLimitRegistry limits = new RateLimitRegistry(() -> bind(properties.split("[,=]")));
		assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> limits.current().verify())
			.satisfies((ex) -> {
				assertThat(ex.problem()).contains(problem);
				assertThat(ex).hasMessageContaining("ge.redis.rate-limit.limits");
				assertThat(ex.problem() + ex.remedy()).contains(remedy);
			});
	}

	@Test
	void largeExactLimitIsAllowedExplicitly() {
		RateLimitRegistry limits = limits("limits.a.limit", "20000", "largest-exact-limit", "20000");
		assertThatNoException().isThrownBy(() -> limits.current().verify());
	}

	@Test
	void largeLimitIsAllowedWithConstantMemory() {
		RateLimitRegistry limits = limits("limits.a.limit", "20000", "limits.a.algorithm", "sliding-window-counter",
				"limits.a.overrides.anna.limit", "1000000");
		assertThatNoException().isThrownBy(() -> limits.current().verify());
	}

	@ParameterizedTest
	@CsvSource({ "0", "-1" })
	void refusesLargestExactLimitThatIsNone(long largest) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RateLimitProperties(true, null, OutagePolicy.LOCAL, false, largest,
					RateLimitProperties.Headers.NONE, false, 0, Map.of(), List.of()))
			.withMessageContaining("ge.redis.rate-limit.largest-exact-limit must be above zero, but is " + largest);
	}

	@Test
	void refusesNegativeHops() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RateLimitProperties(true, null, OutagePolicy.LOCAL, false, 1,
					RateLimitProperties.Headers.NONE, false, -1, Map.of(), List.of()))
			.withMessageContaining("ge.redis.rate-limit.trusted-hops must not be negative, but is -1");
	}

	@Test
	void limitThatNobodyUsesIsNoMistake() {
		assertThatNoException().isThrownBy(() -> limits("limits.code.limit", "5").current().verify());
	}

	@Test
	void namesKnownLimitsWhereOneDoesNotExist() {
		RateLimitRegistry limits = limits("limits.search.limit", "1", "limits.serach.window", "1s");
		assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> limits.current().verify())
			.withMessageContaining("ge.redis.rate-limit.limits.serach: there is no limit 'serach'")
			.withMessageContaining("one of search,");
	}

	@Test
	void unknownNameInCodeSaysWhatToSet() {
		assertThatIllegalArgumentException().isThrownBy(() -> limits().get("unknown"))
			.withMessageContaining("ge.redis.rate-limit.limits.unknown.limit");
	}

	@Test
	void overrideKeepsWhatItDoesNotName() {
		RateLimit bucket = RateLimit.of("a", 10, Duration.ofSeconds(1)).withAlgorithm(RateLimitAlgorithm.TOKEN_BUCKET);
		assertThat(new RateLimitChange(20L, null, null).applyTo(bucket)).isEqualTo(bucket.withLimit(20));
		assertThat(new RateLimitChange(20L, null, null).applyTo(bucket.withBurst(3)))
			.isEqualTo(bucket.withLimit(20).withBurst(3));
		assertThat(new RateLimitChange(null, Duration.ofHours(1), 7L).applyTo(bucket))
			.isEqualTo(bucket.withWindow(Duration.ofHours(1)).withBurst(7));
	}

	@Test
	void limitsInCodeFulfilTheSame() {
		RateLimit limit = RateLimit.of("code", 20, Duration.ofSeconds(1));
		assertThat(limits().admit(limit)).isSameAs(limit);
		assertRefused(limit.withLimit(10_001)).withMessageContaining("The limit of rate limit 'code' is 10001")
			.withMessageContaining("SLIDING_WINDOW_COUNTER");
	}

	@Test
	void trialOfAllLimitsIncludesThoseInCode() {
		RateLimitRegistry limits = limits("shadow", "true", "limits.a.limit", "1", "limits.b.limit", "1",
				"limits.b.shadow", "false");
		assertThat(limits.admit(RateLimit.of("code", 1, Duration.ofSeconds(1))).shadow()).isTrue();
		assertThat(limits.get("a").get(0).shadow()).isTrue();
		assertThat(limits.get("b").get(0).shadow()).isFalse();
	}

	@Test
	void readsOtherPropertiesWhole() {
		RateLimitRegistry limits = limits("limits.a.limit", "1");
		assertThat(limits.get("a").get(0).limit()).isEqualTo(1);
		limits.refresh(bind("limits.a.limit", "2", "limits.b.limit", "3"));
		assertThat(limits.get("a").get(0).limit()).isEqualTo(2);
		assertThat(limits.get("b").get(0).limit()).isEqualTo(3);
		assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(() -> limits.refresh(bind("limits.a.limit", "4", "limits.b.limit", "0")))
			.withMessageContaining("limits.b.limit");
		assertThat(limits.get("a").get(0).limit()).isEqualTo(2);
	}

	private static ThrowableAssertAlternative<IllegalArgumentException> assertRefused(RateLimit limit) {
		return assertThatIllegalArgumentException().isThrownBy(() -> limits().admit(limit));
	}

	private static RateLimitRegistry limits(String... properties) {
		RateLimitProperties bound = bind(properties);
		return new RateLimitRegistry(() -> bound);
	}

	public static RateLimitProperties bind(String... properties) {
		Map<String, String> values = new LinkedHashMap<>();
		for (int i = 0; i < properties.length; i += 2) {
			values.put("ge.redis.rate-limit." + properties[i].strip(), properties[i + 1].strip());
		}
		return new Binder(new MapConfigurationPropertySource(values)).bindOrCreate("ge.redis.rate-limit",
				RateLimitProperties.class);
	}

}
