// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.ge.redis.cache.CacheApplication.Balance;
import io.ge.redis.cache.CacheApplication.Balances;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Writers with Spring's annotations that change the database later, or again.
 */
@Wide
@OnRedis
class SpringCacheAsyncWritersIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private CacheApplication application;

	private Balances balances;

	private SpringBalances spring;

	private Writers writers;

	@BeforeEach
	void start(RedisFixture redis) {
		this.application = SpringBalances.start(Configuration.class, redis.properties(), "ge.redis.cache.load-wait=10m",
				"ge.redis.cache.lease-time=10m", "ge.redis.cache.caches.balances.type=" + Balance.class.getName());
		this.balances = this.application.balances();
		this.spring = this.application.bean(SpringBalances.class);
		this.writers = this.application.bean(Writers.class);
		this.balances.insert("a", "100");
	}

	@AfterEach
	void stop() {
		this.application.close();
	}

	private void awaitAmount(String amount) {
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.spring.find("a").amount()).isEqualTo(new BigDecimal(amount)));
		assertThat(this.balances.stored("a").amount()).isEqualTo(new BigDecimal(amount));
	}

	private Function<String, Mono<?>> writer(String operation) {
		return switch (operation) {
			case "evict" -> (delta) -> this.writers.evictMono("a", delta);
			case "clear" -> (delta) -> this.writers.clearMono("a", delta);
			default -> (delta) -> this.writers.putMono("a", delta);
		};
	}

	@ParameterizedTest
	@ValueSource(strings = { "evict", "clear", "put" })
	void publisherThatIsSubscribedToAgainRemovesAgain(String operation) {
		Mono<?> change = writer(operation).apply("1");
		for (int amount = 101; amount < 105; amount++) {
			this.spring.find("a");
			change.block(LONG);
			awaitAmount(amount + ".00");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "evict", "clear", "put" })
	void publisherThatIsTriedAgainRemovesAgain(String operation) {
		this.writers.fail(2);
		writer(operation).apply("1")
			// A reader stores what it finds between the attempts
			.retryWhen(Retry.max(2).doBeforeRetry((signal) -> this.spring.find("a")))
			.block(LONG);
		awaitAmount("103.00");
	}

	@Test
	void futureThatIsNotDeclaredRemovesWhenItIsDone() throws Exception {
		CompletableFuture<Void> gate = new CompletableFuture<>();
		Future<?> change = this.writers.evictInFuture("a", "1", gate);
		assertThat(this.spring.find("a").amount()).isEqualTo(new BigDecimal("100.00"));
		gate.complete(null);
		change.get(LONG.toSeconds(), TimeUnit.SECONDS);
		awaitAmount("101.00");
	}

	@Test
	void publisherThatIsNotDeclaredRemovesWhenItIsDone() {
		Object change = this.writers.putObject("a", "1");
		this.spring.find("a");
		((Mono<?>) change).block(LONG);
		awaitAmount("101.00");
		this.spring.find("a");
		((Mono<?>) change).block(LONG);
		awaitAmount("102.00");
	}

	@Test
	void publisherThatIsNotDeclaredIsCached() {
		Object first = this.writers.findObject("a");
		assertThat(((Mono<?>) first).block(LONG)).isEqualTo(this.balances.stored("a"));
		// Spring hands out what it has cached by the declared type
		assertThat(this.writers.findObject("a")).isEqualTo(this.balances.stored("a"));
		assertThat(this.spring.find("a")).isEqualTo(this.balances.stored("a"));
		assertThat(this.spring.loads()).hasValue(0);
	}

	@Test
	void futureThatIsNoneStillRemoves() {
		this.spring.find("a");
		assertThat(this.writers.evictAndReturnNothing("a", "1")).isNull();
		awaitAmount("101.00");
	}

	/**
	 * Writers whose change comes when they are asked for it.
	 */
	static class Writers {

		private final Balances balances;

		/** How many changes fail after they were made. */
		private final AtomicInteger failures = new AtomicInteger();

		Writers(Balances balances) {
			this.balances = balances;
		}

		void fail(int times) {
			this.failures.set(times);
		}

		private Balance change(String id, String delta) {
			this.balances.addOutsideOfCache(id, delta);
			if (this.failures.getAndUpdate((left) -> Math.max(0, left - 1)) > 0) {
				throw new IllegalStateException("after the update");
			}
			return this.balances.stored(id);
		}

		@CacheEvict(cacheNames = "balances", key = "#id")
		Mono<Void> evictMono(String id, String delta) {
			return Mono.fromRunnable(() -> change(id, delta));
		}

		@CacheEvict(cacheNames = "balances", allEntries = true)
		Mono<Void> clearMono(String id, String delta) {
			return Mono.fromRunnable(() -> change(id, delta));
		}

		@CachePut(cacheNames = "balances", key = "#id")
		Mono<Balance> putMono(String id, String delta) {
			return Mono.fromCallable(() -> change(id, delta));
		}

		@CacheEvict(cacheNames = "balances", key = "#id")
		Future<?> evictInFuture(String id, String delta, CompletableFuture<Void> gate) {
			return gate.thenRunAsync(() -> change(id, delta), (task) -> new Thread(task, "writer").start());
		}

		@CachePut(cacheNames = "balances", key = "#id")
		Object putObject(String id, String delta) {
			return Mono.fromCallable(() -> change(id, delta));
		}

		@Cacheable("balances")
		Object findObject(String id) {
			return Mono.fromCallable(() -> this.balances.stored(id));
		}

		@CacheEvict(cacheNames = "balances", key = "#id")
		CompletableFuture<Void> evictAndReturnNothing(String id, String delta) {
			change(id, delta);
			return null;
		}

	}

	static class Configuration extends SpringBalances.Configuration {

		@Bean
		Writers writers(Balances balances) {
			return new Writers(balances);
		}

	}

}
