// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.actuate.GeRedisEndpoint;
import io.ge.redis.actuate.GeRedisEndpointAutoConfiguration;
import io.ge.redis.actuate.GeRedisMetricsAutoConfiguration;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimitRequest;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.ratelimit.internal.RateLimitPattern;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Rate limits in an application, from annotation and property to Redis and meters.
 */
class RateLimitAutoConfigurationIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				GeRedisAutoConfiguration.class, GeRedisDisabledAutoConfiguration.class,
				RateLimitAutoConfiguration.class, GeRedisMetricsAutoConfiguration.class,
				GeRedisEndpointAutoConfiguration.class))
		.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues("management.endpoints.web.exposure.include=geredis");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void limitsCallsPerKey() {
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			assertThat(desk.submit("anna")).isEqualTo("done");
			assertThat(desk.submit("anna")).isEqualTo("done");
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> desk.submit("anna"))
				.satisfies((ex) -> {
					assertThat(ex.violated()).containsExactly("tasks");
					assertThat(ex.retryAfter()).isBetween(Duration.ofSeconds(55), Duration.ofMinutes(1));
					assertThat(ex)
						.hasMessage("Rate limit exceeded on " + Desk.class.getName() + ".submit(String): tasks");
					assertThat(ex.getStackTrace()).isEmpty();
				});
			assertThat(desk.submit("boris")).isEqualTo("done");
		});
	}

	@Test
	void propertiesWinOverTheAnnotation() {
		this.runner.withUserConfiguration(Desk.class)
			.withPropertyValues("ge.redis.rate-limit.limits.tasks.limit=1",
					"ge.redis.rate-limit.limits.tasks.window=1h")
			.run((context) -> {
				Desk desk = context.getBean(Desk.class);
				desk.submit("anna");
				assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> desk.submit("anna"))
					.matches((ex) -> ex.retryAfter().toMinutes() > 58);
			});
	}

	@Test
	void fallbackAnswersForRefusedCalls() {
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			assertThat(desk.quote("SOL")).isEqualTo("fresh SOL");
			assertThat(desk.quote("SOL")).isEqualTo("old SOL after [quotes]");
		});
	}

	private static double requests(MeterRegistry meters, String outcome) {
		return meters.get("ge.redis.ratelimit.requests")
			.tags("outcome", outcome)
			.counters()
			.stream()
			.mapToDouble(Counter::count)
			.sum();
	}

	@Test
	@Wide
	void repeatedLimitsAreDecidedTogether() {
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			for (int i = 0; i < 2; i++) {
				desk.order("anna");
			}
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> desk.order("anna"))
				.matches((ex) -> ex.violated().equals(List.of("orders-burst")));
			assertThat(
					context.getBean(RateLimiter.class).tryAcquire("orders-daily", "anna").quotas().get(0).remaining())
				.isEqualTo(97);
		});
	}

	@Test
	void limitsInCodeUseTheSameState() {
		this.runner.withUserConfiguration(Desk.class)
			.withPropertyValues("ge.redis.rate-limit.limits.code.limit=1")
			.run((context) -> {
				RateLimiter limiter = context.getBean(RateLimiter.class);
				context.getBean(Desk.class).submit("anna");
				assertThat(limiter.tryAcquire("tasks", "anna").isAllowed()).isTrue();
				assertThat(limiter.tryAcquire("tasks", "anna")).isInstanceOf(RateLimitDecision.Denied.class);
				limiter.acquire("code", 42);
				assertThatExceptionOfType(RateLimitExceededException.class)
					.isThrownBy(() -> limiter.acquire("code", 42));
				assertThatIllegalArgumentException().isThrownBy(() -> limiter.tryAcquire("unknown", "anna"))
					.withMessageContaining("ge.redis.rate-limit.limits.unknown.limit");
			});
	}

	@Test
	void countsDecisionsAndPublishesThem() {
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			desk.quote("SOL");
			desk.quote("SOL");
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			for (String outcome : List.of("allowed", "denied")) {
				assertThat(meters.get("ge.redis.ratelimit.requests")
					.tags("limit", "quotes", "outcome", outcome, "source", "redis")
					.counter()
					.count()).isEqualTo(1);
			}
			assertThat(meters.get("ge.redis.script")
				.tags("script", "ratelimit/decide", "outcome", "success")
				.timer()
				.count()).isEqualTo(2);
			assertThat(meters.get("ge.redis.outage").gauge().value()).isZero();
			assertThat(desk.events()).extracting(RateLimitEvent::name).containsExactly("quotes", "quotes");
		});
	}

	@Test
	void endpointListsSettingsWithTheirOrigins() {
		this.runner.withUserConfiguration(Desk.class)
			.withPropertyValues("ge.redis.rate-limit.limits.quotes.window=2m")
			.run((context) -> {
				context.getBean(Desk.class).quote("SOL");
				assertThat(context.getBean(GeRedisEndpoint.class).report().guards())
					.filteredOn((guard) -> guard.name().equals("quotes"))
					.singleElement()
					.satisfies((guard) -> {
						assertThat(guard.annotation()).isEqualTo("RateLimited");
						assertThat(guard.method()).endsWith("Desk.quote(String)");
						assertThat(guard.settings().get("limit")).hasToString("Setting[value=1, origin=ANNOTATION]");
						assertThat(guard.settings().get("window"))
							.hasToString("Setting[value=PT2M, origin=PROPERTIES]");
						assertThat(guard.settings().get("onOutage"))
							.hasToString("Setting[value=LOCAL, origin=DEFAULT]");
						assertThat(guard.figures()).containsEntry("allowed", 1L);
					});
			});
	}

	@Test
	void outagePoliciesHoldWhileRedisIsDown() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			redis.primary().kill();
			this.runner.withUserConfiguration(Outages.class).withPropertyValues(redis.properties()).run((context) -> {
				Outages outages = context.getBean(Outages.class);
				for (int i = 0; i < 5; i++) {
					assertThat(outages.allow()).isEqualTo("done");
					assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(outages::deny);
				}
				assertThat(outages.local()).isEqualTo("done");
				assertThat(outages.local()).isEqualTo("done");
				assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(outages::local);
				MeterRegistry meters = context.getBean(MeterRegistry.class);
				assertThat(requests(meters, "error_allowed")).isEqualTo(5);
				assertThat(requests(meters, "error_denied")).isEqualTo(5);
				assertThat(meters.get("ge.redis.outage").gauge().value()).isEqualTo(1);
			});
		}
	}

	@Test
	@Wide
	void methodsRunUnguardedWhenSwitchedOff() {
		this.runner.withUserConfiguration(Desk.class).withPropertyValues("ge.redis.enabled=false").run((context) -> {
			assertThat(context).doesNotHaveBean(RateLimitPattern.class);
			for (int i = 0; i < 5; i++) {
				assertThat(context.getBean(Desk.class).submit("anna")).isEqualTo("done");
			}
		});
		this.runner.withUserConfiguration(Desk.class)
			.withPropertyValues("ge.redis.rate-limit.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RateLimitPattern.class));
	}

	@Test
	@Wide
	void stepsBackForTheUsersOwnRateLimiter() {
		this.runner.withUserConfiguration(OwnLimiter.class)
			.run((context) -> assertThat(context).getBean(RateLimiter.class).isSameAs(OwnLimiter.LIMITER));
	}

	@Test
	@Wide
	void guardsWhateverTheProxySettings() {
		for (String setting : List.of("spring.aop.auto=false", "spring.aop.proxy-target-class=false")) {
			this.runner.withUserConfiguration(Desk.class).withPropertyValues(setting).run((context) -> {
				Desk desk = context.getBean(Desk.class);
				SharedRedis.standalone().flushAll();
				desk.submit("anna");
				desk.submit("anna");
				assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> desk.submit("anna"));
			});
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnLimiter {

		static final RateLimiter LIMITER = new RateLimiter() {

			@Override
			public RateLimitDecision tryAcquire(RateLimitRequest request) {
				return new RateLimitDecision.Allowed(List.of(), () -> 0);
			}

			@Override
			public RateLimitDecision tryAcquire(List<io.ge.redis.ratelimit.RateLimit> limits, Object key) {
				return new RateLimitDecision.Allowed(List.of(), () -> 0);
			}

			@Override
			public void refund(RateLimitDecision.Allowed allowed) {
				// nothing was taken
			}

			@Override
			public void reset(String name, Object key) {
				// nothing was taken
			}

		};

		@Bean
		RateLimiter ownLimiter() {
			return LIMITER;
		}

	}

	static class Desk {

		private final List<RateLimitEvent> events = new java.util.ArrayList<>();

		@RateLimited(name = "tasks", key = "#agent", limit = 2, window = "1m")
		public String submit(String agent) {
			return "done";
		}

		@RateLimited(name = "quotes", limit = 1, window = "1m", algorithm = RateLimitAlgorithm.TOKEN_BUCKET,
				fallback = "oldQuote")
		public String quote(String token) {
			return "fresh " + token;
		}

		String oldQuote(String token, RateLimitExceededException refusal) {
			return "old " + token + " after " + refusal.violated();
		}

		@RateLimited(name = "orders-burst", key = "#user", limit = 2, window = "1m")
		@RateLimited(name = "orders-daily", key = "#user", limitString = "${daily:100}", window = "1d")
		public String order(String user) {
			return "done";
		}

		public List<RateLimitEvent> events() {
			return this.events;
		}

		@EventListener
		public void on(RateLimitEvent event) {
			this.events.add(event);
		}

	}

	static class Outages {

		@RateLimited(name = "open", limit = 1, onOutage = OutagePolicy.ALLOW)
		public String allow() {
			return "done";
		}

		@RateLimited(name = "closed", limit = 1, onOutage = OutagePolicy.DENY)
		public String deny() {
			return "done";
		}

		@RateLimited(name = "local", limit = 2)
		public String local() {
			return "done";
		}

	}

}
