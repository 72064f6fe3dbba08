// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RedisMonitorIntegrationTests {

	@Test
	void hearsACommandOfClientsAndOfScriptsInItsOrder() {
		try (StandaloneRedis redis = RedisServers.standalone();
				RedisMonitor monitor = RedisMonitor.of(redis.primary(), "rpush")) {
			long before = micros(redis);
			redis.primary().command("RPUSH", "a list", "1", "2");
			redis.primary().command("GET", "other");
			redis.primary().command("EVAL", "return redis.call('RPUSH', KEYS[1], '3')", "1", "a list");
			List<RedisMonitor.Executed> executed = monitor.executed();
			assertThat(executed).extracting(RedisMonitor.Executed::arguments)
				.containsExactly(List.of("a list", "1", "2"), List.of("a list", "3"));
			assertThat(executed).extracting(RedisMonitor.Executed::micros)
				.isSorted()
				.allMatch((micros) -> micros >= before && micros <= micros(redis));
		}
	}

	private static long micros(StandaloneRedis redis) {
		List<?> time = (List<?>) redis.primary().command("TIME");
		return Long.parseLong(time.get(0).toString()) * 1_000_000 + Long.parseLong(time.get(1).toString());
	}

}
