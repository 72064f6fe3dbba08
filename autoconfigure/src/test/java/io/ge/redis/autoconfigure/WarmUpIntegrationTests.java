// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;

import io.ge.redis.actuate.GeRedisEndpointAutoConfiguration;
import io.ge.redis.actuate.GeRedisHealthAutoConfiguration;
import io.ge.redis.actuate.GeRedisMetricsAutoConfiguration;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the start does for the first call, and that it does nothing for an application
 * without one.
 */
class WarmUpIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				GeRedisAutoConfiguration.class, RateLimitAutoConfiguration.class, LockAutoConfiguration.class,
				IdempotencyAutoConfiguration.class, CacheAutoConfiguration.class, SpringCacheAutoConfiguration.class,
				BlacklistAutoConfiguration.class, RefreshTokenAutoConfiguration.class,
				GeRedisMetricsAutoConfiguration.class, GeRedisHealthAutoConfiguration.class,
				GeRedisEndpointAutoConfiguration.class))
		.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
		.withPropertyValues("management.endpoints.web.exposure.include=geredis");

	@Test
	void firstCallsFindConnectionAndScripts() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			RedisNode server = redis.primary();
			this.runner.withBean(Desk.class)
				.withPropertyValues(redis.properties())
				.withPropertyValues("ge.redis.outage.command-timeout=5s")
				.run((context) -> {
					Awaitility.await().until(context.getBean(RedisBackends.class).get(null).bus()::isSubscribed);
					assertThat(context.getBean(MeterRegistry.class)
						.get("ge.redis.script")
						.tag("script", "core/probe")
						.timer()
						.count()).as("round trips of the three patterns").isEqualTo(3);
					server.command("CONFIG", "RESETSTAT");
					Desk desk = context.getBean(Desk.class);
					desk.limited();
					desk.locked();
					desk.once("k");
					assertThat(connections(server)).as("connections, with the one that asks").isOne();
					assertThat(server.commandCalls("eval")).as("scripts that had to be sent").isZero();
					assertThat(server.commandCalls("evalsha")).isGreaterThanOrEqualTo(5);
				});
		}
	}

	@Test
	void applicationThatUsesNothingConnectsToNothing() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			long before = connections(redis.primary());
			this.runner.withPropertyValues(redis.properties()).run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(RedisBackends.class).all()).isEmpty();
			});
			assertThat(connections(redis.primary())).isEqualTo(before + 1);
		}
	}

	@Test
	void startWaitsForAMomentOnlyWhileRedisHangs() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			redis.primary().pause();
			Stopwatch watch = Stopwatch.start();
			this.runner.withBean(Desk.class).withPropertyValues(redis.properties()).run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(watch.elapsed()).isLessThan(Duration.ofSeconds(5));
			});
		}
	}

	private static long connections(RedisNode server) {
		return Long.parseLong(String.valueOf(server.info("stats", "total_connections_received")));
	}

	static class Desk {

		@RateLimited(limit = 5, window = "1m")
		public void limited() {
		}

		@DistributedLock
		public void locked() {
		}

		@Idempotent(key = "#key")
		public void once(String key) {
		}

	}

}
