// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.ge.redis.InvalidKeyException;
import io.ge.redis.actuate.GeRedisEndpoint;
import io.ge.redis.actuate.GeRedisEndpointAutoConfiguration;
import io.ge.redis.actuate.GeRedisMetricsAutoConfiguration;
import io.ge.redis.ratelimit.OnEmptyKey;
import io.ge.redis.ratelimit.Quota;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitCostException;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimitRequest;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What each setting of a limit does in an application, from annotation and property to
 * Redis.
 */
class RateLimitSettingsIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				GeRedisAutoConfiguration.class, RateLimitAutoConfiguration.class, GeRedisMetricsAutoConfiguration.class,
				GeRedisEndpointAutoConfiguration.class))
		.withBean(Desk.class)
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues("management.endpoints.web.exposure.include=geredis");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void callTakesWhatItCosts() {
		this.runner.run((context) -> {
			Desk desk = context.getBean(Desk.class);
			desk.load(List.of(1, 2, 3, 4));
			desk.load(List.of(1, 2, 3, 4));
			assertRefused(() -> desk.load(List.of(1, 2, 3)), "load");
			desk.load(List.of(1, 2));
			assertRefused(() -> desk.load(List.of(1)), "load");
			desk.load(List.of());
			assertThatExceptionOfType(RateLimitCostException.class)
				.isThrownBy(() -> desk.load(List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)))
				.matches(RateLimitCostException::isTooHigh)
				.withMessageContaining("load");
		});
	}

	@Test
	@Wide
	void constantCostIsTakenByEachCall() {
		this.runner.run((context) -> {
			Desk desk = context.getBean(Desk.class);
			desk.heavy();
			desk.heavy();
			assertRefused(desk::heavy, "heavy");
		});
	}

	@Test
	void callWithoutKeyIsSkippedSharedOrRefused() {
		this.runner.run((context) -> {
			Desk desk = context.getBean(Desk.class);
			for (int i = 0; i < 3; i++) {
				assertThat(desk.skip(null)).isEqualTo("done");
				assertThat(desk.skip(" ")).isEqualTo("done");
			}
			assertThat(desk.skip("anna")).isEqualTo("done");
			assertRefused(() -> desk.skip("anna"), "skip");

			assertThat(desk.share("anna")).isEqualTo("done");
			assertThat(desk.share(null)).isEqualTo("done");
			assertRefused(() -> desk.share(""), "share");

			assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> desk.strict(null));
		});
	}

	@Test
	@Wide
	void skippedLimitLeavesTheOthersOfTheMethod() {
		this.runner.run((context) -> {
			Desk desk = context.getBean(Desk.class);
			desk.both(null);
			desk.both(null);
			assertRefused(() -> desk.both(null), "both-all");
		});
	}

	@Test
	void namedExceptionsGivePermitsBack() {
		this.runner.run((context) -> {
			Desk desk = context.getBean(Desk.class);
			RateLimiter limiter = context.getBean(RateLimiter.class);
			FileNotFoundException failure = new FileNotFoundException();
			assertThatExceptionOfType(FileNotFoundException.class).isThrownBy(() -> desk.read("anna", failure))
				.isSameAs(failure);
			Awaitility.await().untilAsserted(() -> {
				assertThat(remaining(limiter, "read", "anna")).isEqualTo(2);
				assertThat(remaining(limiter, "read-daily", "anna")).isEqualTo(20);
			});
			assertThatIllegalStateException().isThrownBy(() -> desk.read("anna", new IllegalStateException()));
			desk.read("anna", null);
			assertThat(remaining(limiter, "read", "anna")).isZero();
			assertThat(remaining(limiter, "read-daily", "anna")).isEqualTo(18);
			assertRefused(() -> desk.read("anna", failure), "read");
		});
	}

	@Test
	void callWaitsForItsTurnNoLongerThanAllowed() {
		this.runner.run((context) -> {
			Desk desk = context.getBean(Desk.class);
			long start = System.nanoTime();
			desk.patient();
			desk.patient();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(200));
			desk.impatient();
			assertRefused(desk::impatient, "impatient");
		});
	}

	@Test
	void trialNeverRefusesAndTells() {
		this.runner.run((context) -> {
			Desk desk = context.getBean(Desk.class);
			desk.trial();
			desk.trial();
			assertThat(desk.outcomes("trial")).containsExactly(RateLimitEvent.Outcome.ALLOWED,
					RateLimitEvent.Outcome.SHADOW_DENIED);
		});
	}

	@Test
	void propertiesMakeAllLimitsTrialsOrOneNone() {
		this.runner
			.withPropertyValues("ge.redis.rate-limit.shadow=true", "ge.redis.rate-limit.limits.heavy.shadow=false",
					"ge.redis.rate-limit.limits.trial.shadow=false")
			.run((context) -> {
				Desk desk = context.getBean(Desk.class);
				for (int i = 0; i < 3; i++) {
					desk.impatient();
					assertThat(context.getBean(RateLimiter.class)
						.tryAcquire(List.of(RateLimit.of("code", 1, Duration.ofHours(1))), "anna")
						.isAllowed()).isTrue();
				}
				desk.heavy();
				desk.heavy();
				assertRefused(desk::heavy, "heavy");
				desk.trial();
				assertRefused(desk::trial, "trial");
			});
	}

	@Test
	@Wide
	void bandsAreDecidedTogether() {
		this.runner
			.withPropertyValues("ge.redis.rate-limit.limits.skip.limits[0].limit=2",
					"ge.redis.rate-limit.limits.skip.limits[0].window=1h",
					"ge.redis.rate-limit.limits.skip.limits[1].limit=3",
					"ge.redis.rate-limit.limits.skip.limits[1].window=1d")
			.run((context) -> {
				Desk desk = context.getBean(Desk.class);
				RateLimiter limiter = context.getBean(RateLimiter.class);
				desk.skip("anna");
				desk.skip("anna");
				assertRefused(() -> desk.skip("anna"), "skip-1h");
				assertThat(remaining(limiter, "skip-1d", "anna")).isEqualTo(1);
				assertThat(limiter.tryAcquire("skip", "anna", 0).quotas()).extracting(Quota::limit)
					.extracting(RateLimit::name)
					.containsExactly("skip-1h", "skip-1d");
				assertThat(context.getBean(GeRedisEndpoint.class).report().guards())
					.extracting(GeRedisEndpoint.GuardReport::name)
					.contains("skip-1h", "skip-1d")
					.doesNotContain("skip");
				limiter.reset("skip", "anna");
				assertThat(remaining(limiter, "skip-1h", "anna")).isEqualTo(2);
				assertThat(remaining(limiter, "skip-1d", "anna")).isEqualTo(3);
			});
	}

	@Test
	@Wide
	void metaAnnotationLimits() {
		this.runner.run((context) -> {
			Desk desk = context.getBean(Desk.class);
			desk.careful("anna");
			assertRefused(() -> desk.careful("anna"), "careful");
			desk.careful("boris");
		});
	}

	@Test
	@Wide
	void codeIsHeldToTheSameRules() {
		this.runner.run((context) -> {
			RateLimiter limiter = context.getBean(RateLimiter.class);
			RateLimit limit = RateLimit.of("code", 20_000, Duration.ofHours(1));
			assertThatIllegalArgumentException().isThrownBy(() -> limiter.tryAcquire(List.of(limit), "anna"))
				.withMessageContaining("SLIDING_WINDOW_COUNTER");
			assertThatIllegalArgumentException()
				.isThrownBy(() -> limiter.tryAcquire(List.of(limit.withLimit(1), limit.withLimit(2)), "anna"))
				.withMessageContaining("'code' is named twice");
			assertThatIllegalArgumentException()
				.isThrownBy(() -> limiter.tryAcquire(RateLimitRequest.of("skip", "anna").and("skip", "anna")))
				.withMessageContaining("'skip' is named twice");
			assertThat(limiter.tryAcquire(RateLimitRequest.of("skip", "anna").and("skip", "boris")).isAllowed())
				.isTrue();
		});
	}

	private static long remaining(RateLimiter limiter, String name, String key) {
		RateLimitDecision looked = limiter.tryAcquire(name, key, 0);
		return looked.quotas().get(0).remaining();
	}

	private static void assertRefused(ThrowingCallable call, String... violated) {
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(call)
			.satisfies((ex) -> assertThat(ex.violated()).containsExactly(violated));
	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@RateLimited(name = "careful", key = "#user", limit = 10, window = "1h", cost = "10")
	@interface Careful {

	}

	static class Desk {

		private final List<RateLimitEvent> events = new CopyOnWriteArrayList<>();

		@RateLimited(name = "load", limit = 10, window = "1h", cost = "#rows.size()")
		public void load(List<Integer> rows) {
		}

		@RateLimited(name = "heavy", limit = 10, window = "1h", cost = "5")
		public void heavy() {
		}

		@RateLimited(name = "skip", key = "#user", limit = 1, window = "1h", onEmptyKey = OnEmptyKey.SKIP)
		public String skip(@Nullable String user) {
			return "done";
		}

		@RateLimited(name = "share", key = "#user", limit = 1, window = "1h", onEmptyKey = OnEmptyKey.SHARED)
		public String share(@Nullable String user) {
			return "done";
		}

		@RateLimited(name = "strict", key = "#user", limit = 1, window = "1h")
		public String strict(@Nullable String user) {
			return "done";
		}

		@RateLimited(name = "both-user", key = "#user", limit = 1, window = "1h", onEmptyKey = OnEmptyKey.SKIP)
		@RateLimited(name = "both-all", limit = 2, window = "1h")
		public void both(@Nullable String user) {
		}

		@RateLimited(name = "read", key = "#user", limit = 2, window = "1h", refundOn = IOException.class)
		@RateLimited(name = "read-daily", key = "#user", limit = 20, window = "1d")
		public void read(String user, @Nullable Exception failure) throws Exception {
			if (failure != null) {
				throw failure;
			}
		}

		@RateLimited(name = "patient", limit = 1, window = "200ms", waitTime = "10s")
		public void patient() {
		}

		@RateLimited(name = "impatient", limit = 1, window = "1h", waitTime = "10s")
		public void impatient() {
		}

		@RateLimited(name = "trial", limit = 1, window = "1h", shadow = true)
		public void trial() {
		}

		@Careful
		public void careful(String user) {
		}

		public List<RateLimitEvent.Outcome> outcomes(String name) {
			return this.events.stream()
				.filter((event) -> event.name().equals(name))
				.map(RateLimitEvent::outcome)
				.toList();
		}

		@EventListener
		public void on(RateLimitEvent event) {
			this.events.add(event);
		}

	}

}
