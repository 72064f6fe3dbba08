// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.cache.CacheApplication.Balance;
import io.ge.redis.cache.CacheApplication.Balances;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TcpProxy;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Writers that must be announced, and invalidations while Redis is unavailable.
 */
class CacheConsistencyIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private @Nullable CacheApplication application;

	@AfterEach
	void stop() {
		if (this.application != null) {
			this.application.close();
		}
	}

	private Balances start(String[] redis, String... properties) {
		this.application = CacheApplication
			.start(CacheApplication.Configuration.class, redis,
					"jdbc:h2:mem:" + System.nanoTime() + ";DB_CLOSE_DELAY=-1", properties)
			.connected();
		Balances balances = this.application.balances();
		balances.insert("a", "100");
		balances.insert("warm", "0");
		Awaitility.await().atMost(PATIENCE).until(() -> {
			balances.find("a");
			return this.application.events().takeResults().contains("hit");
		});
		for (int i = 0; i < 2; i++) {
			balances.find("warm");
			balances.add("warm", "0");
			this.application.caches().evict("balances", "warm");
		}
		this.application.events().takeResults();
		return balances;
	}

	private static void assertAmount(Balances asked, String amount) {
		assertThat(asked.find("a").amount()).isEqualTo(new BigDecimal(amount));
	}

	@Nested
	@OnRedis
	class OnOneServer {

		private RedisFixture redis;

		@BeforeEach
		void flush(RedisFixture redis) {
			this.redis = redis;
			redis.flushAll();
		}

		private List<String> events() {
			return CacheConsistencyIntegrationTests.this.application.events().takeResults();
		}

		@Test
		@Wide
		void strictWriterIsCommittedWhileRedisAnswers() {
			Balances balances = start(this.redis.properties(), "ge.redis.cache.on-redis-down=fail-tx");
			balances.add("a", "1");
			assertThat(events()).containsExactly("published");
			assertAmount(balances, "101.00");
		}

	}

	@Nested
	class WhileRedisIsAway {

		@Test
		void strictWriterCommitsNothing() {
			try (StandaloneRedis redis = RedisServers.standalone(); TcpProxy network = new TcpProxy(redis.primary())) {
				String[] through = { "spring.data.redis.host=" + network.host(),
						"spring.data.redis.port=" + network.port() };
				Balances balances = start(through, "ge.redis.cache.on-redis-down=fail-tx");
				CacheApplication app = CacheConsistencyIntegrationTests.this.application;
				network.cut();
				assertRefused(() -> balances.add("a", "1"));
				assertRefused(() -> balances.addInCallersTransaction("a", "1"));
				assertRefused(() -> balances.addInTemplates("a", "1"));
				assertRefused(() -> app.transaction()
					.executeWithoutResult((status) -> balances.addInCallersTransaction("a", "1")));
				assertRefused(() -> app.transaction().executeWithoutResult((status) -> {
					balances.addNested("a", "1", false);
					app.caches().put("balances", "a", null);
				}));
				assertThat(balances.stored("a")).isEqualTo(new Balance("a", new BigDecimal("100.00"), 0));
				assertThat(app.events().takeResults()).contains("rolled_back").doesNotContain("published", "deferred");
				app.caches().evict("balances", "a");
				network.resume();
				Awaitility.await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> {
					balances.add("a", "1");
					assertThat(app.events().takeResults()).endsWith("published");
				});
				assertThat(balances.find("a")).isEqualTo(balances.stored("a"));
			}
		}

		@Test
		void tagsAreInvalidatedAsSoonAsRedisIsBack() {
			try (StandaloneRedis redis = RedisServers.standalone(); TcpProxy network = new TcpProxy(redis.primary())) {
				String[] through = { "spring.data.redis.host=" + network.host(),
						"spring.data.redis.port=" + network.port() };
				Balances balances = start(through);
				CacheApplication app = CacheConsistencyIntegrationTests.this.application;
				balances.findGrouped("a", "red");
				try (CacheApplication other = CacheApplication
					.start(CacheApplication.Configuration.class, redis.properties(), app.database())
					.connected()) {
					assertThat(other.balances().findGrouped("a", "red").version()).isZero();
					network.cut();
					app.bean(JdbcTemplate.class).update("update balance set version = 1");
					app.caches().invalidateTags("grouped", "red");
					app.caches().invalidateTags("grouped", "blue");
					assertThat(app.events().takeResults()).endsWith("deferred", "deferred");
					assertThat(balances.findGrouped("a", "red").version()).isEqualTo(1);
					network.resume();
					Awaitility.await()
						.atMost(PATIENCE)
						.until(() -> other.balances().findGrouped("a", "red").version() == 1);
					Awaitility.await().atMost(PATIENCE).until(() -> {
						balances.loads().set(0);
						balances.findGrouped("a", "red");
						return balances.loads().get() == 0;
					});
				}
			}
		}

		private static void assertRefused(Runnable work) {
			assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(work::run);
		}

	}

}
