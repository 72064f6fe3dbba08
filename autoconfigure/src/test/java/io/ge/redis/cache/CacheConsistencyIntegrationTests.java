/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.cache.CacheApplication.Balance;
import io.ge.redis.cache.CacheApplication.Balances;
import io.ge.redis.core.outage.RedisUnavailableException;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What the modes do and what they cost, with the windows that they leave, and what
 * versions and strictness change.
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
			.start(Configuration.class, redis, "jdbc:h2:mem:" + System.nanoTime() + ";DB_CLOSE_DELAY=-1", properties)
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

	private Versioned versioned() {
		return this.application.bean(Versioned.class);
	}

	private static void assertAmount(Balances asked, String amount) {
		assertThat(asked.find("a").amount()).isEqualTo(new BigDecimal(amount));
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@Import(CacheApplication.Configuration.class)
	static class Configuration {

		@Bean
		Versioned versioned(Balances balances, JdbcTemplate database) {
			return new Versioned(balances, database);
		}

	}

	/**
	 * Writers that know the version of what they write.
	 */
	static class Versioned {

		private final Balances balances;

		private final JdbcTemplate database;

		Versioned(Balances balances, JdbcTemplate database) {
			this.balances = balances;
			this.database = database;
		}

		@CacheWriteThrough(cache = "balances", key = "#id", version = "#result?.version")
		@Transactional
		@Nullable Balance add(String id, String delta) {
			return change(id, delta);
		}

		@CacheWriteThrough(cache = "balances", key = "#id", version = "#result?.version")
		@Nullable Balance addWithoutTransaction(String id, String delta, Runnable afterwards) {
			Balance changed = change(id, delta);
			afterwards.run();
			return changed;
		}

		@CacheWriteThrough(cache = "balances", key = "#id", version = "#version")
		@Transactional
		@Nullable Balance addAs(String id, String delta, Object version) {
			return change(id, delta);
		}

		private @Nullable Balance change(String id, String delta) {
			this.database.update("update balance set amount = amount + ?, version = version + 1 where id = ?",
					new BigDecimal(delta), id);
			return this.balances.stored(id);
		}

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

		private long calls(Runnable work) {
			this.redis.configResetStat();
			work.run();
			return this.redis.commandCalls("evalsha") + this.redis.commandCalls("eval");
		}

		private List<String> events() {
			return CacheConsistencyIntegrationTests.this.application.events().takeResults();
		}

		@Test
		void leaseRemovesAtOneCall() {
			Balances balances = start(this.redis.properties(), "ge.redis.cache.consistency=lease");
			assertThat(calls(() -> balances.add("a", "1"))).isEqualTo(1);
			assertThat(events()).containsExactly("invalidated");
			assertAmount(balances, "101.00");
			assertThat(events()).containsExactly("miss", "loaded");
		}

		@Test
		@Wide
		void leaseLetsTheOldValueBeReadUntilTheRemoval() {
			Balances balances = start(this.redis.properties(), "ge.redis.cache.consistency=lease");
			balances.afterCommit(() -> CompletableFuture.runAsync(() -> assertAmount(balances, "100.00")).join());
			balances.add("a", "1");
			assertAmount(balances, "101.00");
		}

		@ParameterizedTest
		@ValueSource(strings = { "lease", "fast" })
		void writerThatAnnouncesNothingCancelsTheLoadOfAnOldValue(String consistency) {
			Balances balances = start(this.redis.properties(), "ge.redis.cache.consistency=" + consistency);
			CacheConsistencyIntegrationTests.this.application.caches().evict("balances", "a");
			balances.whileLoading(() -> {
				balances.whileLoading(() -> {
				});
				CompletableFuture.runAsync(() -> balances.add("a", "1")).join();
			});
			assertAmount(balances, "100.00");
			assertAmount(balances, "101.00");
		}

		@Test
		void fastStoresAtOneCall() {
			Balances balances = start(this.redis.properties(), "ge.redis.cache.caches.balances.consistency=fast");
			assertThat(calls(() -> balances.add("a", "1"))).isEqualTo(1);
			assertThat(events()).containsExactly("published");
			assertAmount(balances, "101.00");
			assertThat(events()).containsExactly("hit");
			assertThat(calls(() -> assertThatIllegalStateException().isThrownBy(() -> balances.addAndFail("a", "1"))))
				.isZero();
			assertThat(events()).containsExactly("rolled_back");
			assertAmount(balances, "101.00");
		}

		@Test
		@Wide
		void fastKeepsTheOlderOfTwoValuesThatOvertookEachOther() {
			Balances balances = start(this.redis.properties(), "ge.redis.cache.consistency=fast");
			balances.afterCommit(() -> {
				balances.afterCommit(() -> {
				});
				CompletableFuture.runAsync(() -> balances.add("a", "1")).join();
			});
			balances.add("a", "1");
			assertThat(balances.stored("a").amount()).isEqualTo(new BigDecimal("102.00"));
			assertAmount(balances, "101.00");
		}

		@Test
		void fastWithVersionsStoresNothingOlder() {
			Balances balances = start(this.redis.properties(), "ge.redis.cache.consistency=fast");
			versioned().addWithoutTransaction("a", "1",
					() -> CompletableFuture.runAsync(() -> versioned().add("a", "1")).join());
			assertThat(events()).containsExactly("published", "superseded");
			assertAmount(balances, "102.00");
			assertThat(events()).as("what stands might have been as old").containsExactly("miss", "loaded");
		}

		@Test
		@Wide
		void fastWithTheSameVersionAgainLeavesNothingOld() {
			Balances balances = start(this.redis.properties(), "ge.redis.cache.consistency=fast");
			versioned().addAs("a", "1", 5);
			versioned().addAs("a", "1", 5);
			assertThat(events()).containsExactly("published", "superseded");
			assertAmount(balances, "102.00");
		}

		@Test
		@Wide
		void fastStoresNothingThatSeveralTransactionsHaveMade() {
			Balances balances = start(this.redis.properties(), "ge.redis.cache.consistency=fast");
			balances.addInTemplates("a", "1", "1");
			assertThat(events()).containsExactly("invalidated");
			assertAmount(balances, "102.00");
		}

		@Test
		void writersWithoutTransactionAreBroughtToTheirEndInEveryMode() {
			for (String mode : List.of("lease", "fast")) {
				Balances balances = start(this.redis.properties(), "ge.redis.cache.consistency=" + mode);
				assertThatIllegalStateException().isThrownBy(() -> balances.addAndFailInCallersTransaction("a", "1"));
				assertThat(events()).containsExactly("invalidated");
				assertAmount(balances, "101.00");
				balances.addInTemplates("a", "1", "1");
				assertAmount(balances, "103.00");
				assertThatIllegalStateException().isThrownBy(() -> balances.addInTemplateAndFail("a", "1"));
				assertAmount(balances, "104.00");
				stop();
				this.redis.flushAll();
			}
		}

		@Test
		void intentWithVersionsPublishesBesideOtherWritersWithoutTransaction() {
			Balances balances = start(this.redis.properties());
			versioned().addWithoutTransaction("a", "1",
					() -> CompletableFuture.runAsync(() -> versioned().addWithoutTransaction("a", "1", () -> {
					})).join());
			assertThat(balances.stored("a").version()).isEqualTo(2);
			assertAmount(balances, "102.00");
			assertThat(events()).as("the newer one ended first, while the older one was pending")
				.startsWith("superseded", "superseded");
			versioned().add("a", "1");
			assertThat(events()).endsWith("published");
			assertAmount(balances, "103.00");
			assertThat(events()).containsExactly("hit");
		}

		@Test
		void whatIsNoVersionRemovesTheEntry() {
			Balances balances = start(this.redis.properties());
			versioned().addAs("a", "1", "first");
			versioned().addAs("a", "1", -1);
			versioned().addAs("a", "1", Long.MAX_VALUE);
			assertThat(events()).containsExactly("invalidated", "invalidated", "invalidated");
			versioned().addAs("a", "1", Instant.now());
			assertThat(events()).containsExactly("published");
			versioned().addAs("a", "1", 5);
			assertThat(events()).containsExactly("superseded");
			assertAmount(balances, "105.00");
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
					.start(Configuration.class, redis.properties(), app.database())
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
