// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.math.BigDecimal;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.ge.redis.cache.CacheApplication.Balance;
import io.ge.redis.cache.CacheApplication.Balances;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.Caching;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Methods with Spring's annotations whose keys, conditions or operations are unusual.
 */
@Wide
@OnRedis
class SpringCacheOddCasesIntegrationTests {

	private CacheApplication application;

	private Balances balances;

	private SpringBalances spring;

	private Odd odd;

	@BeforeEach
	void start(RedisFixture redis) {
		this.application = SpringBalances.start(Configuration.class, redis.properties(), "ge.redis.cache.load-wait=10m",
				"ge.redis.cache.lease-time=10m", "odd.timeout=7", "ge.redis.cache.caches.text.type=java.lang.String");
		this.balances = this.application.balances();
		this.spring = this.application.bean(SpringBalances.class);
		this.odd = this.application.bean(Odd.class);
		this.balances.insert("a", "100");
		this.application.events().takeResults();
	}

	@AfterEach
	void stop() {
		this.application.close();
	}

	private void assertAmount(String amount) {
		assertThat(this.balances.stored("a").amount()).isEqualTo(new BigDecimal(amount));
		assertThat(this.spring.find("a").amount()).isEqualTo(new BigDecimal(amount));
	}

	@Test
	@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void operationsOfOneCallThatComeToTheSameEntryDoNotWaitForEachOther() {
		for (int i = 0; i < 3; i++) {
			assertThat(this.odd.findByEither("a", "a")).isEqualTo(this.balances.stored("a"));
			// Stored by the one lease that there was, and nobody waits for another one
			assertThat(this.spring.find("a")).isEqualTo(this.balances.stored("a"));
			assertThat(this.spring.loads()).hasValue(0);
			this.spring.addAndEvict("a", "1");
		}
	}

	@Test
	void valueOfAnotherCacheLeavesTheExpiredOneOfTheFirst(RedisFixture redis) {
		this.application.close();
		this.application = SpringBalances.start(Configuration.class, redis.properties(),
				"ge.redis.cache.caches.balances.ttl=1ms", "ge.redis.cache.caches.balances.stale-if-error=10m",
				"ge.redis.cache.caches.text.type=java.lang.String", "odd.timeout=7");
		this.spring = this.application.bean(SpringBalances.class);
		this.application.balances().insert("a", "100");
		Balance before = this.spring.find("a");
		Balance other = new Balance("a", BigDecimal.TEN, 7);
		// Not in one whose entries have tags, where it would not be stored
		this.application.caches().get("other", "a", Balance.class, () -> other);
		Awaitility.await("the value has expired")
			.until(() -> (Long) redis.endpoints().get(0).command("PTTL", "ge:cache:{balances:a}:e1") <= 600_000);
		assertThat(this.application.bean(Odd.class).findInBoth("a")).isEqualTo(other);
		this.spring.whileLoading(() -> {
			throw new IllegalStateException("no database");
		});
		assertThat(this.spring.findInSync("a")).isEqualTo(before);
	}

	@Test
	void nullKeyIsRefusedBeforeAMethodThatEvictsFirst() {
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> this.odd.evictFirst(null));
		assertAmount("100.00");
	}

	@Test
	void conditionThatOnlyTheMethodMakesPossible() {
		this.spring.find("a");
		Order order = new Order();
		this.odd.evictIfNumbered(order);
		assertAmount("101.00");
	}

	@Test
	void placeholdersOfTransactionsAreResolved() {
		this.odd.addWithTimeout("a", "1");
		this.odd.evictWithTimeout("a", "1");
		assertAmount("102.00");
	}

	@Test
	void loaderInCodeThatReturnsNoFutureGivesItsLeaseBack() throws Exception {
		Cache cache = this.application.bean(CacheManager.class).getCache("text");
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> cache.retrieve("a", () -> null).get(30, TimeUnit.SECONDS))
			.withCauseInstanceOf(IllegalStateException.class)
			.withMessageContaining("The loader of cache 'text' has returned null");
		assertThat(cache.retrieve("a", () -> CompletableFuture.completedFuture("b")).get(30, TimeUnit.SECONDS))
			.isEqualTo("b");
	}

	/**
	 * An argument that changes.
	 */
	static class Order {

		private @Nullable Integer number;

		public int getNumber() {
			if (this.number == null) {
				throw new IllegalStateException("has no number yet");
			}
			return this.number;
		}

	}

	/**
	 * Methods with unusual keys and conditions.
	 */
	static class Odd {

		private final Balances balances;

		Odd(Balances balances) {
			this.balances = balances;
		}

		private @Nullable Balance change(String id, String delta) {
			this.balances.addOutsideOfCache(id, delta);
			return this.balances.stored(id);
		}

		@Caching(cacheable = { @Cacheable(cacheNames = "balances", key = "#id"),
				@Cacheable(cacheNames = "balances", key = "#other") })
		@Nullable Balance findByEither(String id, String other) {
			return this.balances.stored(id);
		}

		@Cacheable(cacheNames = { "balances", "other" }, key = "#id")
		@Nullable Balance findInBoth(String id) {
			throw new IllegalStateException("is in the second cache");
		}

		@CacheEvict(cacheNames = "balances", key = "#id", beforeInvocation = true)
		@Transactional
		void evictFirst(@Nullable String id) {
			change("a", "1");
		}

		@CacheEvict(cacheNames = "balances", key = "'a'", condition = "#order.number > 0")
		@Transactional
		void evictIfNumbered(Order order) {
			change("a", "1");
			order.number = 1;
		}

		@CachePut(cacheNames = "balances", key = "#id")
		@Transactional(timeoutString = "${odd.timeout}")
		@Nullable Balance addWithTimeout(String id, String delta) {
			return change(id, delta);
		}

		@CacheEvict(cacheNames = "balances", key = "#id")
		@Transactional(timeoutString = "${odd.timeout}")
		void evictWithTimeout(String id, String delta) {
			change(id, delta);
		}

	}

	static class Configuration extends SpringBalances.Configuration {

		@Bean
		Odd odd(Balances balances) {
			return new Odd(balances);
		}

	}

}
