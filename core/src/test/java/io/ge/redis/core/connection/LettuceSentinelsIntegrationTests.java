// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.SentinelRedis;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The Sentinels, one of which names another server than the others.
 */
@Wide
class LettuceSentinelsIntegrationTests {

	private static final Duration SOON = Duration.ofSeconds(5);

	@Test
	void mostSentinelsNameThePrimary() {
		try (SentinelRedis redis = RedisServers.sentinel(); StandaloneRedis other = RedisServers.standalone()) {
			RedisNode primary = redis.primary();
			name(redis.sentinels().get(0), other.primary());
			LettuceConnectionFactory application = redis.connectionFactory();
			try (GuardConnection connection = GuardConnections.from(application, () -> null)) {
				AtomicInteger switched = new AtomicInteger();
				connection.onNewPrimary(switched::incrementAndGet);
				assertThat(connection.reopen(SOON)).succeedsWithin(SOON);
				assertThat(hasGuards(primary)).isTrue();
				name(redis.sentinels().get(1), other.primary());
				Awaitility.await().atMost(SOON).until(() -> hasGuards(other.primary()) && !hasGuards(primary));
				assertThat(switched).hasValue(1);
				redis.sentinels().get(2).pause();
				assertThat(connection.reopen(SOON)).succeedsWithin(SOON);
				redis.sentinels().get(2).resume();
			}
			finally {
				application.destroy();
			}
		}
	}

	/** Lets a Sentinel forget the others and name another primary. */
	private static void name(RedisNode sentinel, RedisNode primary) {
		sentinel.command("SENTINEL", "REMOVE", SentinelRedis.MASTER);
		sentinel.command("SENTINEL", "MONITOR", SentinelRedis.MASTER, primary.host(), String.valueOf(primary.port()),
				"1");
	}

	private static boolean hasGuards(RedisNode server) {
		return String.valueOf(server.command("CLIENT", "LIST")).contains("name=ge-redis-guards");
	}

}
