// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.List;
import java.util.Map;

import io.ge.redis.actuate.GeRedisEndpointAutoConfiguration;
import io.ge.redis.actuate.GeRedisMetricsAutoConfiguration;
import io.ge.redis.ratelimit.RateLimitResolver;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.test.SharedRedis;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.MeterNotFoundException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import net.bytebuddy.ByteBuddy;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What changes limits from within the application: a refreshed environment, overrides and
 * a resolver bean; and what their meters say.
 */
@ExtendWith(OutputCaptureExtension.class)
class RateLimitRefreshIntegrationTests {

	private static final Class<? extends ApplicationEvent> EVENT = new ByteBuddy().subclass(ApplicationEvent.class)
		.name(RateLimitAutoConfiguration.RateLimitRefresh.EVENT)
		.make()
		.load(RateLimitRefreshIntegrationTests.class.getClassLoader())
		.getLoaded();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				GeRedisAutoConfiguration.class, RateLimitAutoConfiguration.class, GeRedisMetricsAutoConfiguration.class,
				GeRedisEndpointAutoConfiguration.class))
		.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
		.withBean(Desk.class)
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues("ge.redis.rate-limit.limits.tasks.overrides.vip.limit=5")
		.withInitializer((context) -> context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("colon",
					Map.of("ge.redis.rate-limit.limits.tasks.overrides[acme:anna].limit", "6"))));

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void refreshedEnvironmentAppliesFromTheNextCallOn() {
		this.runner.run((context) -> {
			RateLimiter limiter = context.getBean(RateLimiter.class);
			assertThat(limitOf(limiter, "anna")).isEqualTo(2);
			context.getBean(Desk.class).submit("anna");
			refresh(context, Map.of("ge.redis.rate-limit.limits.tasks.limit", "3"));
			assertThat(limitOf(limiter, "anna")).isEqualTo(3);
			assertThat(limitOf(limiter, "vip")).isEqualTo(5);
			context.getBean(Desk.class).submit("anna");
			assertThat(limiter.tryAcquire("tasks", "anna", 0).quotas().get(0).remaining()).isEqualTo(1);
			refresh(context, Map.of("ge.redis.rate-limit.limits.tasks.overrides.anna.limit", "9"));
			assertThat(limitOf(limiter, "anna")).isEqualTo(9);
		});
	}

	@Test
	void refreshThatCannotWorkChangesNothingAndSaysWhy(CapturedOutput output) {
		this.runner.run((context) -> {
			RateLimiter limiter = context.getBean(RateLimiter.class);
			refresh(context, Map.of("ge.redis.rate-limit.limits.tasks.limit", "-3"));
			assertThat(limitOf(limiter, "anna")).isEqualTo(2);
			assertThat(output).contains("Rate limits stay as they were", "ge.redis.rate-limit.limits.tasks.limit",
					"above zero");
			refresh(context, Map.of("ge.redis.rate-limit.limits.tasks.window", 60));
			assertThat(output).contains("ge.redis.rate-limit.limits.tasks.window: \"60\" has no unit");
			refresh(context, Map.of("ge.redis.rate-limit.limits.tasks.limit", "few"));
			assertThat(limitOf(limiter, "anna")).isEqualTo(2);
			assertThat(output).contains("Failed to bind properties under 'ge.redis.rate-limit.limits.tasks.limit'");
		});
	}

	@Test
	void overridesAreForSingleKeys() {
		this.runner.run((context) -> {
			RateLimiter limiter = context.getBean(RateLimiter.class);
			assertThat(limitOf(limiter, "vip")).isEqualTo(5);
			assertThat(limitOf(limiter, List.of("acme", "anna"))).isEqualTo(6);
			assertThat(limitOf(limiter, "anna")).isEqualTo(2);
		});
	}

	@Test
	void resolverChoosesForEachCaller() {
		this.runner.withUserConfiguration(Plans.class).run((context) -> {
			RateLimiter limiter = context.getBean(RateLimiter.class);
			assertThat(limitOf(limiter, "gold-anna")).isEqualTo(20);
			assertThat(limitOf(limiter, "vip")).isEqualTo(5);
			Desk desk = context.getBean(Desk.class);
			for (int i = 0; i < 20; i++) {
				desk.submit("gold-anna");
			}
			assertThat(limiter.tryAcquire("tasks", "gold-anna").isAllowed()).isFalse();
		});
	}

	@Test
	void metersShowLimitsThatAreNearlyUsedUp() {
		this.runner.withPropertyValues("ge.redis.rate-limit.limits.tasks.limit=5").run((context) -> {
			RateLimiter limiter = context.getBean(RateLimiter.class);
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			for (int i = 0; i < 4; i++) {
				limiter.tryAcquire("tasks", "anna");
			}
			limiter.tryAcquire("tasks", "boris");
			assertThat(meters.get("ge.redis.ratelimit.near_limit").tags("limit", "tasks").counter().count()).isZero();
			limiter.tryAcquire("tasks", "anna");
			limiter.tryAcquire("tasks", "anna");
			assertThat(meters.get("ge.redis.ratelimit.near_limit").tags("limit", "tasks").counter().count())
				.as("only what was allowed counts")
				.isEqualTo(1);
			assertThat(meters.get("ge.redis.ratelimit.requests")
				.tags("outcome", "denied", "source", "redis")
				.counter()
				.count()).isEqualTo(1);
			// Denials are forgotten when the subscription begins to stand
			Awaitility.await().ignoreException(MeterNotFoundException.class).until(() -> {
				limiter.tryAcquire("tasks", "anna");
				return meters.get("ge.redis.ratelimit.requests")
					.tags("limit", "tasks", "outcome", "denied", "source", "deny_cache")
					.counter()
					.count() > 0;
			});
		});
	}

	private static long limitOf(RateLimiter limiter, Object key) {
		return limiter.tryAcquire("tasks", key, 0).quotas().get(0).limit().limit();
	}

	static void refresh(ConfigurableApplicationContext context, Map<String, Object> properties)
			throws ReflectiveOperationException {
		context.getEnvironment().getPropertySources().remove("refreshed");
		context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("refreshed", properties));
		context.publishEvent(EVENT.getConstructor(Object.class).newInstance(context));
	}

	@Configuration(proxyBeanMethods = false)
	static class Plans {

		@Bean
		RateLimitResolver plans() {
			return (limit, key) -> key.get(0).startsWith("gold-") ? limit.withLimit(20) : limit;
		}

	}

	static class Desk {

		@RateLimited(name = "tasks", key = "#agent", limit = 2, window = "1m")
		public String submit(String agent) {
			return "done";
		}

	}

}
