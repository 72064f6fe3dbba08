/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.stream.IntStream;

import io.ge.redis.cache.guard.CacheControl;
import io.ge.redis.cache.guard.CachePattern;
import io.ge.redis.cache.guard.RedisCacheSizes;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * How many entries a cache has, as far as that can be told without counting them.
 */
@Wide
class CacheSizesIntegrationTests {

	@Test
	void everyServerOfAClusterIsAsked() {
		RedisFixture redis = SharedRedis.cluster();
		redis.flushAll();
		try (CacheApplication application = CacheApplication
			.start(redis.properties(), "ge.redis.cache.caches.balances.negative-ttl=1h")
			.connected()) {
			fill(application, 300);
			redis.configResetStat();
			CacheControl.Size size = size(application);
			assertThat(redis.commandCalls("randomkey")).isEqualTo(3L * RedisCacheSizes.LOOKS);
			assertThat(size.looks()).isEqualTo(3L * RedisCacheSizes.LOOKS);
			// Beside them stand the versions of the cache, which a sample meets by
			// chance:
			// five entries more or less are eleven times the standard deviation of that
			assertThat(size.entries()).isCloseTo(300, within(5L));
		}
	}

	@Test
	void nothingIsToldWhereRedisDoesNotPermitIt() {
		try (StandaloneRedis redis = RedisServers.standalone();
				CacheApplication application = CacheApplication
					.start(redis.properties(), "ge.redis.cache.caches.balances.negative-ttl=1h")
					.connected()) {
			fill(application, 3);
			redis.primary().command("ACL", "SETUSER", "default", "-randomkey");
			for (int i = 0; i < 5; i++) {
				assertThat(control(application).list().caches())
					.allSatisfy((cache) -> assertThat(cache.size()).isNull());
			}
			application.events().takeResults();
			application.balances().find("0");
			assertThat(application.events().takeResults()).containsExactly("hit");
		}
	}

	private static void fill(CacheApplication application, int number) {
		IntStream.range(0, number).forEach((i) -> application.balances().find(String.valueOf(i)));
	}

	private static CacheControl control(CacheApplication application) {
		return application.bean(CachePattern.class).control();
	}

	private static CacheControl.Size size(CacheApplication application) {
		return control(application).list()
			.caches()
			.stream()
			.filter((cache) -> cache.name().equals("balances"))
			.findFirst()
			.orElseThrow()
			.size();
	}

}
