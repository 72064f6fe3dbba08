// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.cache.CacheApplication.Events;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.test.ReactiveDatabase;
import io.ge.redis.test.Starts;
import org.awaitility.Awaitility;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.TransactionalOperator;

/**
 * Accounts in a database with a reactive driver, behind a cache.
 */
final class AsyncApplication implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	private AsyncApplication(ConfigurableApplicationContext context) {
		this.context = context;
	}

	static AsyncApplication start(ReactiveDatabase database, String[] redis, String... properties) {
		List<String> all = new ArrayList<>(List.of(redis));
		all.addAll(List.of("spring.main.banner-mode=off", "spring.main.log-startup-info=false",
				"spring.jmx.enabled=false", "ge.redis.outage.command-timeout=5s", "ge.redis.cache.max-staleness=10m",
				"ge.redis.cache.lease-time=1m", "ge.redis.cache.load-wait=1m", "ge.redis.cache.caches.kept.ttl=50ms",
				"ge.redis.cache.caches.kept.stale-if-error=1m", "ge.redis.cache.caches.brief.ttl=400ms",
				"ge.redis.cache.caches.behind.write-behind=true",
				"ge.redis.cache.caches.behind-brief.write-behind=true",
				"ge.redis.cache.caches.behind-brief.ttl=400ms"));
		all.addAll(List.of(properties));
		AsyncApplication started = new AsyncApplication(
				Starts.alone(() -> new SpringApplicationBuilder(Configuration.class).web(WebApplicationType.NONE)
					.registerShutdownHook(false)
					.initializers((context) -> context.getBeanFactory().registerSingleton("database", database))
					.properties(all.toArray(String[]::new))
					.run()));
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> !started.context.getBean(RedisBackends.class).get(null).breaker().isOpen());
		return started;
	}

	Accounts accounts() {
		return this.context.getBean(Accounts.class);
	}

	AsyncBatches batches() {
		return this.context.getBean(AsyncBatches.class);
	}

	GeCaches caches() {
		return this.context.getBean(GeCaches.class);
	}

	Events events() {
		return this.context.getBean(Events.class);
	}

	TransactionalOperator transaction() {
		return TransactionalOperator.create(this.context.getBean(ReactiveTransactionManager.class));
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	/**
	 * Returns the threads that stand still within a reader.
	 */
	static List<Thread> readersThatBlock() {
		return Thread.getAllStackTraces()
			.entrySet()
			.stream()
			.filter((entry) -> Arrays.stream(entry.getValue())
				.anyMatch((frame) -> frame.getClassName().matches("io\\.ge\\.redis\\.cache\\.\\w*Reader.*")))
			.map(Map.Entry::getKey)
			.filter((thread) -> thread.getState() != Thread.State.RUNNABLE)
			.toList();
	}

	/**
	 * Waits until another instance has heard of the accounts that were invalidated here:
	 * what it stores before that is outdated to this one.
	 */
	void awaitHeardBy(AsyncApplication other) {
		Account theirs = new Account("heard", 1);
		Account own = new Account("heard", 2);
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
			other.caches().evict("accounts", theirs.id());
			other.caches().get("accounts", theirs.id(), Account.class, () -> theirs);
			return theirs.equals(caches().get("accounts", theirs.id(), Account.class, () -> own));
		});
	}

	@Override
	public void close() {
		this.context.close();
	}

	/**
	 * An account.
	 *
	 * @param id whose
	 * @param balance how much
	 */
	record Account(String id, long balance) {
	}

	/**
	 * A result of which no value can be made if it is negative.
	 *
	 * @param balance how much
	 */
	record Failing(long balance) {

		@Override
		public long balance() {
			if (this.balance < 0) {
				throw new AssertionError("no value");
			}
			return this.balance;
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableTransactionManagement
	@ImportAutoConfiguration({ GeRedisAutoConfiguration.class, CacheAutoConfiguration.class,
			DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class })
	static class Configuration {

		@Bean
		ReactiveTransactionManager transactionManager(ReactiveDatabase database) {
			return database.transactionManager();
		}

		@Bean
		Accounts accounts(ReactiveDatabase database, ReactiveTransactionManager transactions) {
			return new Accounts(database, TransactionalOperator.create(transactions));
		}

		@Bean
		AsyncBatches batches(ReactiveDatabase database, GeCaches caches) {
			return new AsyncBatches(database, caches);
		}

		@Bean
		Events events() {
			return new Events();
		}

	}

	/**
	 * Readers and writers.
	 */
	static class Accounts {

		private final ReactiveDatabase database;

		private final TransactionalOperator transaction;

		private final AtomicInteger loads = new AtomicInteger();

		private final List<String> threads = new CopyOnWriteArrayList<>();

		/** What a load waits for when it has read. */
		private volatile Function<Object, Mono<?>> afterRead = (read) -> Mono.empty();

		/** What a writer waits for when it has changed the row. */
		private volatile Mono<?> afterChange = Mono.empty();

		Accounts(ReactiveDatabase database, TransactionalOperator transaction) {
			this.database = database;
			this.transaction = transaction;
		}

		AtomicInteger loads() {
			return this.loads;
		}

		List<String> threads() {
			return this.threads;
		}

		void afterRead(Function<Object, Mono<?>> action) {
			this.afterRead = action;
		}

		void afterChange(Mono<?> action) {
			this.afterChange = action;
		}

		Mono<Account> stored(String id) {
			return this.database.find(id).map((balance) -> new Account(id, balance));
		}

		private Mono<Account> load(String id) {
			return Mono.defer(() -> {
				this.loads.incrementAndGet();
				this.threads.add(Thread.currentThread().getName());
				return stored(id);
			}).delayUntil((read) -> this.afterRead.apply(read));
		}

		private Mono<Account> change(String id, long balance) {
			return this.database.put(id, balance)
				.delayUntil((rows) -> this.afterChange)
				.thenReturn(new Account(id, balance));
		}

		@CacheAside(cache = "accounts", key = "#id")
		Mono<Account> find(String id) {
			return load(id);
		}

		@CacheAside(cache = "accounts", key = "#id")
		CompletableFuture<Account> findFuture(String id) {
			return load(id).toFuture();
		}

		@CacheAside(cache = "accounts", key = "#id")
		CompletionStage<Account> findStage(String id) {
			return load(id).toFuture();
		}

		@CacheAside(cache = "accounts", key = "#id")
		Mono<Optional<Account>> findOptional(String id) {
			return load(id).map(Optional::of).defaultIfEmpty(Optional.empty());
		}

		@CacheAside(cache = "accounts", key = "#id")
		@Transactional(readOnly = true)
		Mono<Account> findInTransaction(String id) {
			return load(id);
		}

		@CacheAside(cache = "accounts", key = "#id")
		Mono<Account> findByReadingItself(String id) {
			return Mono.defer(() -> this.self.find(id)).delaySubscription(Duration.ofMillis(1));
		}

		private Accounts self = this;

		void self(Accounts proxy) {
			this.self = proxy;
		}

		@CacheAside(cache = "several", key = "#prefix")
		Flux<Account> several(String prefix) {
			return Flux.just("1", "2", "3").concatMap((suffix) -> load(prefix + suffix));
		}

		@CacheAside(cache = "chosen", key = "#id", condition = "#id != 'never'", unless = "#result == 'secret'")
		Mono<String> chosen(String id, String value) {
			this.loads.incrementAndGet();
			return Mono.just(value);
		}

		@CacheAside(cache = "tagged", key = "#id", tags = "#group")
		Mono<String> tagged(String id, String group) {
			return Mono.fromSupplier(() -> "load " + this.loads.incrementAndGet());
		}

		@CacheAside(cache = "kept", key = "#id")
		Mono<String> kept(String id, Mono<String> source) {
			return source;
		}

		@CacheAside(cache = "kept", key = "#id")
		CompletableFuture<String> keptFuture(String id, CompletableFuture<String> source) {
			return source;
		}

		@CacheAside(cache = "brief", key = "#id")
		Mono<String> brief(String id) {
			return Mono.fromSupplier(() -> "load " + this.loads.incrementAndGet()).delayElement(Duration.ofMillis(50));
		}

		@CacheAside(cache = "near", key = "#id")
		Mono<String> near(String id) {
			return Mono.fromSupplier(() -> "load " + this.loads.incrementAndGet());
		}

		@CacheWriteThrough(cache = "near", key = "#id", value = "#value")
		Mono<Void> nearWrite(String id, String value) {
			return Mono.empty();
		}

		@CacheAside(cache = "behind", key = "#id")
		Mono<Account> findBehind(String id) {
			return load(id);
		}

		@CacheWriteBehind(cache = "behind", key = "#id")
		Mono<Account> setBehind(String id, long balance) {
			return Mono.just(new Account(id, balance));
		}

		@CacheWriteBehind(cache = "behind", key = "#account.id", value = "#account")
		CompletableFuture<Void> setBehind(Account account) {
			return CompletableFuture.completedFuture(null);
		}

		@CacheAside(cache = "behind-brief", key = "#id")
		Mono<Account> findBehindBrief(String id) {
			return load(id).delayElement(Duration.ofMillis(50));
		}

		@CacheWriteBehind(cache = "behind-brief", key = "#id")
		Mono<Account> setBehindBrief(String id, long balance) {
			return Mono.just(new Account(id, balance));
		}

		@CacheAside(cache = "accounts", key = "#id")
		Mono<Account> findAfter(String id, Mono<?> first) {
			return first.then(load(id));
		}

		@CacheWriteThrough(cache = "accounts", key = "#id")
		Mono<Account> setAndMarkForRollback(String id, long balance) {
			return this.transaction.execute((status) -> {
				status.setRollbackOnly();
				return change(id, balance);
			}).next();
		}

		@CacheWriteThrough(cache = "failing", key = "#id")
		@CacheInvalidate(cache = "tagged", tags = "'red'")
		Mono<Failing> setFailing(String id, long balance) {
			return change(id, balance).thenReturn(new Failing(balance));
		}

		@CacheInvalidate(cache = "fresh", key = "#id")
		Mono<Void> removeFresh(String id) {
			return Mono.empty();
		}

		@CacheWriteThrough(cache = "fresh", key = "#id", value = "#balance")
		Mono<Void> setFresh(String id, long balance) {
			return Mono.empty();
		}

		@CacheWriteThrough(cache = "accounts", key = "#id")
		@Transactional
		Mono<Account> set(String id, long balance) {
			return change(id, balance);
		}

		@CacheWriteThrough(cache = "accounts", key = "#id")
		Mono<Account> setInOperator(String id, long balance) {
			return change(id, balance).as(this.transaction::transactional);
		}

		@CacheWriteThrough(cache = "accounts", key = "#id")
		Mono<Account> setAndHang(String id, long balance) {
			return change(id, balance).as(this.transaction::transactional).then(Mono.never());
		}

		@CacheWriteThrough(cache = "accounts", key = "#id")
		CompletableFuture<Account> setFuture(String id, long balance) {
			return change(id, balance).as(this.transaction::transactional).toFuture();
		}

		@CacheWriteThrough(cache = "accounts", key = "#id")
		Mono<Account> setWithoutTransaction(String id, long balance) {
			return change(id, balance);
		}

		@CacheWriteThrough(cache = "accounts", key = "#id")
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		Mono<Account> setInNewTransaction(String id, long balance) {
			return change(id, balance);
		}

		@CacheWriteThrough(cache = "accounts", key = "#id")
		@Transactional(propagation = Propagation.NESTED)
		Mono<Account> setNested(String id, long balance) {
			return change(id, balance);
		}

		@CacheWriteThrough(cache = "accounts", key = "#id")
		@Transactional
		Mono<Account> setAndFail(String id, long balance) {
			return change(id, balance).then(Mono.error(new IllegalStateException("after the update")));
		}

		@CacheWriteThrough(cache = "accounts", key = "#id")
		@Transactional
		Mono<Account> setAndRead(String id, long balance) {
			return change(id, balance).then(Mono.defer(() -> this.self.find(id)));
		}

		@CacheInvalidate(cache = "accounts", key = "#id")
		@Transactional
		Mono<Long> remove(String id) {
			return this.database.run("DELETE FROM account WHERE id = '" + id + "'");
		}

		@CacheInvalidate(cache = "tagged", tags = "#group")
		Mono<Void> invalidateGroup(String group) {
			return Mono.empty();
		}

		@CacheInvalidate(cache = "tagged", tags = "#group")
		Mono<Void> invalidateGroupAndHang(String group) {
			return Mono.never();
		}

		@CacheInvalidate(cache = "tagged", all = true)
		CompletableFuture<Void> invalidateAll() {
			return CompletableFuture.completedFuture(null);
		}

		@CacheInvalidate(cache = "tagged", tags = "#result")
		Flux<String> invalidateResults(String... groups) {
			return Flux.just(groups);
		}

	}

}
