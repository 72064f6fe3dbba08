// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.autoconfigure.SpringCacheAutoConfiguration;
import io.ge.redis.cache.CacheApplication.Balance;
import io.ge.redis.cache.CacheApplication.Balances;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.Caching;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The balances of {@link CacheApplication} behind Spring's own annotations, in the same
 * caches.
 */
class SpringBalances {

	private final Balances balances;

	private final TransactionTemplate transaction;

	private final AtomicInteger loads = new AtomicInteger();

	/** Run by readers before they return. */
	private volatile Runnable whileLoading = () -> {
	};

	/** Run by writers when they have made their change, before they return. */
	private volatile Runnable afterChange = () -> {
	};

	/** What asynchronous readers run on. */
	private volatile Executor executor = Runnable::run;

	SpringBalances(Balances balances, TransactionTemplate transaction) {
		this.balances = balances;
		this.transaction = transaction;
	}

	static CacheApplication start(String[] redis, String... properties) {
		return start(Configuration.class, redis, properties);
	}

	static CacheApplication start(Class<?> configuration, String[] redis, String... properties) {
		return CacheApplication
			.start(configuration, redis, "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", properties)
			.connected();
	}

	AtomicInteger loads() {
		return this.loads;
	}

	void whileLoading(Runnable action) {
		this.whileLoading = action;
	}

	void afterChange(Runnable action) {
		this.afterChange = action;
	}

	void executor(Executor newExecutor) {
		this.executor = newExecutor;
	}

	private @Nullable Balance load(String id) {
		this.loads.incrementAndGet();
		Balance found = this.balances.stored(id);
		this.whileLoading.run();
		return found;
	}

	private @Nullable Balance change(String id, String delta) {
		this.balances.addOutsideOfCache(id, delta);
		this.afterChange.run();
		return this.balances.stored(id);
	}

	// Readers

	@Cacheable("balances")
	@Nullable Balance find(String id) {
		return load(id);
	}

	@Cacheable("balances")
	@Transactional(readOnly = true)
	@Nullable Balance findInTransaction(String id) {
		return load(id);
	}

	@Cacheable(cacheNames = "balances", sync = true)
	@Nullable Balance findInSync(String id) {
		return load(id);
	}

	@Cacheable(cacheNames = "balances", key = "#id", unless = "#result.amount.signum() > 0")
	@Nullable Balance findUnlessPositive(String id) {
		return load(id);
	}

	@Cacheable("optional")
	Optional<Balance> findOptional(String id) {
		return Optional.ofNullable(load(id));
	}

	@Cacheable(cacheNames = "optional", sync = true)
	Optional<Balance> findOptionalInSync(String id) {
		return Optional.ofNullable(load(id));
	}

	@Cacheable("grouped")
	@Nullable Balance findGrouped(String id) {
		return load(id);
	}

	@Cacheable("pairs")
	String pair(String first, String second) {
		this.loads.incrementAndGet();
		return first + "|" + second;
	}

	@CacheAside(cache = "pairs", key = "{#first, #second}")
	String pairOfOurs(String first, String second) {
		this.loads.incrementAndGet();
		return first + "|" + second;
	}

	@Cacheable("pairs")
	String several(String... all) {
		this.loads.incrementAndGet();
		return String.join("|", all);
	}

	@Cacheable("all")
	List<String> all() {
		this.loads.incrementAndGet();
		return List.of("all");
	}

	@Cacheable("pairs")
	String byObject(Object key) {
		this.loads.incrementAndGet();
		return "object";
	}

	// Writers

	@CachePut(cacheNames = "balances", key = "#id")
	@Transactional
	@Nullable Balance add(String id, String delta) {
		return change(id, delta);
	}

	@CachePut(cacheNames = "balances", key = "#id")
	@Transactional
	@Nullable Balance addAndFail(String id, String delta) {
		change(id, delta);
		throw new IllegalStateException("after the update");
	}

	@CachePut(cacheNames = "balances", key = "#id")
	@Nullable Balance addInCallersTransaction(String id, String delta) {
		return change(id, delta);
	}

	@CachePut(cacheNames = "balances", key = "#id")
	@Nullable Balance addInTemplates(String id, String... deltas) {
		Balance last = null;
		for (String delta : deltas) {
			last = this.transaction.execute((status) -> change(id, delta));
		}
		return last;
	}

	@CachePut(cacheNames = "balances", key = "#id")
	@Transactional(propagation = Propagation.REQUIRES_NEW)
	@Nullable Balance addInNewTransaction(String id, String delta) {
		return change(id, delta);
	}

	@CachePut(cacheNames = "balances", key = "#id", condition = "#delta != '0'", unless = "#result.amount.signum() < 0")
	@Transactional
	@Nullable Balance addUnlessNegative(String id, String delta) {
		return change(id, delta);
	}

	@CachePut(cacheNames = "balances", key = "#result.id")
	@Transactional
	@Nullable Balance addByResult(String id, String delta) {
		return change(id, delta);
	}

	@CacheWriteThrough(cache = "balances", key = "#id")
	@CachePut(cacheNames = "balances", key = "#id")
	@Transactional
	@Nullable Balance addByBoth(String id, String delta) {
		return change(id, delta);
	}

	@CacheEvict(cacheNames = "balances", key = "#id")
	@Transactional
	void addAndEvict(String id, String delta) {
		change(id, delta);
	}

	@CacheEvict(cacheNames = "balances", key = "#id")
	void addAndEvictInCallersTransaction(String id, String delta) {
		change(id, delta);
	}

	@CacheEvict(cacheNames = "balances", key = "#id", beforeInvocation = true)
	@Transactional
	void evictAndAdd(String id, String delta) {
		change(id, delta);
	}

	@CacheEvict(cacheNames = "balances", allEntries = true)
	@Transactional
	void addAndClear(String id, String delta) {
		change(id, delta);
	}

	@CacheEvict(cacheNames = "balances", allEntries = true, beforeInvocation = true)
	@Transactional
	void clearAndAdd(String id, String delta) {
		change(id, delta);
	}

	@Caching(put = { @CachePut(cacheNames = "balances", key = "#id"), @CachePut(cacheNames = "optional", key = "#id") },
			evict = @CacheEvict(cacheNames = "grouped", key = "#id"))
	@Transactional
	@Nullable Balance addEverywhere(String id, String delta) {
		return change(id, delta);
	}

	@Caching(cacheable = @Cacheable(cacheNames = "balances", key = "#id"),
			evict = @CacheEvict(cacheNames = "grouped", key = "#id"))
	@Nullable Balance findAndEvict(String id) {
		return load(id);
	}

	// Later

	@Cacheable("balances")
	CompletableFuture<@Nullable Balance> findLater(String id) {
		return CompletableFuture.supplyAsync(() -> load(id), this.executor);
	}

	@Cacheable(cacheNames = "balances", sync = true)
	CompletableFuture<@Nullable Balance> findLaterInSync(String id) {
		return CompletableFuture.supplyAsync(() -> load(id), this.executor);
	}

	@Cacheable(cacheNames = "optional", sync = true)
	CompletableFuture<Balance> findKeptLaterInSync(String id) {
		return CompletableFuture.supplyAsync(() -> load(id), this.executor);
	}

	@Cacheable("balances")
	Mono<Balance> findMono(String id) {
		return Mono.fromCallable(() -> load(id));
	}

	@Cacheable(cacheNames = "balances", sync = true)
	Mono<Balance> findMonoInSync(String id) {
		return Mono.fromCallable(() -> load(id));
	}

	@Cacheable("fluxes")
	Flux<Balance> findFlux(String... ids) {
		return Flux.fromArray(ids).mapNotNull(this::load);
	}

	@CachePut(cacheNames = "balances", key = "#id")
	CompletableFuture<@Nullable Balance> addLater(String id, String delta) {
		return CompletableFuture.supplyAsync(() -> this.transaction.execute((status) -> change(id, delta)),
				this.executor);
	}

	@CacheEvict(cacheNames = "balances", key = "#id")
	CompletableFuture<Void> addAndEvictLater(String id, String delta) {
		return CompletableFuture.runAsync(() -> change(id, delta), this.executor);
	}

	@CacheEvict(cacheNames = "balances", key = "#id")
	CompletableFuture<Void> addAndFailLater(String id, String delta) {
		return CompletableFuture.runAsync(() -> {
			change(id, delta);
			throw new IllegalStateException("after the update");
		}, this.executor);
	}

	@CacheEvict(cacheNames = "balances", key = "#id")
	Mono<Void> addAndEvictMono(String id, String delta) {
		return Mono.fromRunnable(() -> change(id, delta));
	}

	@CacheEvict(cacheNames = "balances", allEntries = true)
	Mono<Void> addAndClearMono(String id, String delta) {
		return Mono.fromRunnable(() -> change(id, delta));
	}

	@Caching(
			cacheable = { @Cacheable(cacheNames = "balances", key = "#id"),
					@Cacheable(cacheNames = "grouped", key = "#id") },
			evict = @CacheEvict(cacheNames = "optional", key = "#id"))
	CompletableFuture<@Nullable Balance> findLaterAndEvict(String id) {
		return CompletableFuture.supplyAsync(() -> load(id), this.executor);
	}

	@Caching(put = { @CachePut(cacheNames = "balances", key = "#id"), @CachePut(cacheNames = "grouped", key = "#id") },
			evict = @CacheEvict(cacheNames = "optional", key = "#id"))
	CompletableFuture<@Nullable Balance> addEverywhereLater(String id, String delta) {
		return CompletableFuture.supplyAsync(() -> this.transaction.execute((status) -> change(id, delta)),
				this.executor);
	}

	/**
	 * The application with Spring's annotations, whose caches stand inside of
	 * transactions.
	 */
	@EnableCaching
	@EnableTransactionManagement(order = 0)
	@ImportAutoConfiguration(SpringCacheAutoConfiguration.class)
	static class Configuration extends CacheApplication.Configuration {

		@Bean
		SpringBalances springBalances(Balances balances, PlatformTransactionManager transactions) {
			return new SpringBalances(balances, new TransactionTemplate(transactions));
		}

	}

}
