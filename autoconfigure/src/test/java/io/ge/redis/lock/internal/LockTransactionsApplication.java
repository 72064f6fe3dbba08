// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.IdempotencyAutoConfiguration;
import io.ge.redis.autoconfigure.LockAutoConfiguration;
import io.ge.redis.autoconfigure.RateLimitAutoConfiguration;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.test.instance.Operation;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An application that reads a number from a database and writes it back, one higher,
 * under a lock and inside a transaction: with the annotations in every order, on methods
 * and on classes, and in code.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class,
		DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
		TransactionManagerCustomizationAutoConfiguration.class, TransactionAutoConfiguration.class,
		JacksonAutoConfiguration.class, GeRedisAutoConfiguration.class, LockAutoConfiguration.class,
		RateLimitAutoConfiguration.class, IdempotencyAutoConfiguration.class })
@Import({ LockTransactionsApplication.Numbers.class, LockTransactionsApplication.Methods.class,
		LockTransactionsApplication.TransactionalClass.class, LockTransactionsApplication.LockedClass.class,
		LockTransactionsApplication.TransactionsOutside.class })
class LockTransactionsApplication {

	/** Puts transactions outside all guards, as an application may. */
	static final String TRANSACTIONS_OUTSIDE = "test.transactions-outside";

	/**
	 * Increments in all ways in turn. Arguments: the number, threads, increments of each.
	 */
	@Bean
	Operation increment(Methods methods, TransactionalClass transactional, LockedClass locked, Numbers numbers,
			PlatformTransactionManager manager, DistributedLocks locks) {
		TransactionTemplate transactions = new TransactionTemplate(manager);
		LockOptions options = LockOptions.defaults();
		List<Way> ways = new ArrayList<>(List.of(methods::lockTransaction, methods::transactionLock,
				methods::lockTransactionLimit, methods::lockLimitTransaction, methods::transactionLockLimit,
				methods::transactionLimitLock, methods::limitLockTransaction, methods::limitTransactionLock,
				methods::lockTransactionOnce, methods::lockOnceTransaction, methods::transactionLockOnce,
				methods::transactionOnceLock, methods::onceLockTransaction, methods::onceTransactionLock));
		ways.add((id, call) -> transactional.increment(id));
		ways.add((id, call) -> locked.increment(id));
		ways.add((id, call) -> transactions.execute((status) -> methods.lockTransaction(id, call)));
		ways.add((id, call) -> transactions.execute((status) -> locked.increment(id)));
		ways.add((id, call) -> transactions
			.execute((status) -> locks.execute("counter", id, options, (lock) -> numbers.increment(id))));
		ways.add((id, call) -> locks.execute("counter", id, options,
				(lock) -> transactions.execute((status) -> numbers.increment(id))));
		return (arguments) -> {
			int threads = Integer.parseInt(arguments[1]);
			ExecutorService executor = Executors.newFixedThreadPool(threads);
			try {
				List<CompletableFuture<Void>> callers = new ArrayList<>();
				for (int i = 0; i < threads; i++) {
					int first = i;
					callers.add(CompletableFuture.runAsync(
							() -> increment(ways, first, arguments[0], Integer.parseInt(arguments[2])), executor));
				}
				CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new)).join();
				return String.valueOf(ways.size());
			}
			finally {
				executor.shutdownNow();
			}
		};
	}

	private static void increment(List<Way> ways, int first, String id, int times) {
		for (int i = 0; i < times; i++) {
			ways.get((first + i) % ways.size()).increment(id, UUID.randomUUID().toString());
		}
	}

	/**
	 * A way to increment.
	 */
	@FunctionalInterface
	interface Way {

		Long increment(String id, String call);

	}

	static class Numbers {

		private final JdbcTemplate jdbc;

		Numbers(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		long increment(String id) {
			long next = this.jdbc.queryForObject("select version from items where id = ?", Long.class, id) + 1;
			Thread.yield();
			this.jdbc.update("update items set version = ? where id = ?", next, id);
			return next;
		}

	}

	static class Methods {

		private final Numbers numbers;

		Methods(Numbers numbers) {
			this.numbers = numbers;
		}

		@DistributedLock(name = "counter", key = "#id", waitTime = "60s")
		@Transactional
		public long lockTransaction(String id, String call) {
			return this.numbers.increment(id);
		}

		@Transactional
		@DistributedLock(name = "counter", key = "#id", waitTime = "60s")
		public long transactionLock(String id, String call) {
			return this.numbers.increment(id);
		}

		@DistributedLock(name = "counter", key = "#id", waitTime = "60s")
		@Transactional
		@RateLimited(name = "increments", limit = 1_000_000, window = "1s", algorithm = RateLimitAlgorithm.TOKEN_BUCKET)
		public long lockTransactionLimit(String id, String call) {
			return this.numbers.increment(id);
		}

		@DistributedLock(name = "counter", key = "#id", waitTime = "60s")
		@RateLimited(name = "increments", limit = 1_000_000, window = "1s", algorithm = RateLimitAlgorithm.TOKEN_BUCKET)
		@Transactional
		public long lockLimitTransaction(String id, String call) {
			return this.numbers.increment(id);
		}

		@Transactional
		@DistributedLock(name = "counter", key = "#id", waitTime = "60s")
		@RateLimited(name = "increments", limit = 1_000_000, window = "1s", algorithm = RateLimitAlgorithm.TOKEN_BUCKET)
		public long transactionLockLimit(String id, String call) {
			return this.numbers.increment(id);
		}

		@Transactional
		@RateLimited(name = "increments", limit = 1_000_000, window = "1s", algorithm = RateLimitAlgorithm.TOKEN_BUCKET)
		@DistributedLock(name = "counter", key = "#id", waitTime = "60s")
		public long transactionLimitLock(String id, String call) {
			return this.numbers.increment(id);
		}

		@RateLimited(name = "increments", limit = 1_000_000, window = "1s", algorithm = RateLimitAlgorithm.TOKEN_BUCKET)
		@DistributedLock(name = "counter", key = "#id", waitTime = "60s")
		@Transactional
		public long limitLockTransaction(String id, String call) {
			return this.numbers.increment(id);
		}

		@RateLimited(name = "increments", limit = 1_000_000, window = "1s", algorithm = RateLimitAlgorithm.TOKEN_BUCKET)
		@Transactional
		@DistributedLock(name = "counter", key = "#id", waitTime = "60s")
		public long limitTransactionLock(String id, String call) {
			return this.numbers.increment(id);
		}

		@DistributedLock(name = "counter", key = "#id", waitTime = "60s")
		@Transactional
		@Idempotent(name = "lockTransactionOnce", key = "#call", fingerprint = "#id", ttl = "1m")
		public long lockTransactionOnce(String id, String call) {
			return this.numbers.increment(id);
		}

		@DistributedLock(name = "counter", key = "#id", waitTime = "60s")
		@Idempotent(name = "lockOnceTransaction", key = "#call", fingerprint = "#id", ttl = "1m")
		@Transactional
		public long lockOnceTransaction(String id, String call) {
			return this.numbers.increment(id);
		}

		@Transactional
		@DistributedLock(name = "counter", key = "#id", waitTime = "60s")
		@Idempotent(name = "transactionLockOnce", key = "#call", fingerprint = "#id", ttl = "1m")
		public long transactionLockOnce(String id, String call) {
			return this.numbers.increment(id);
		}

		@Transactional
		@Idempotent(name = "transactionOnceLock", key = "#call", fingerprint = "#id", ttl = "1m")
		@DistributedLock(name = "counter", key = "#id", waitTime = "60s")
		public long transactionOnceLock(String id, String call) {
			return this.numbers.increment(id);
		}

		@Idempotent(name = "onceLockTransaction", key = "#call", fingerprint = "#id", ttl = "1m")
		@DistributedLock(name = "counter", key = "#id", waitTime = "60s")
		@Transactional
		public long onceLockTransaction(String id, String call) {
			return this.numbers.increment(id);
		}

		@Idempotent(name = "onceTransactionLock", key = "#call", fingerprint = "#id", ttl = "1m")
		@Transactional
		@DistributedLock(name = "counter", key = "#id", waitTime = "60s")
		public long onceTransactionLock(String id, String call) {
			return this.numbers.increment(id);
		}

	}

	@Transactional
	static class TransactionalClass {

		private final Numbers numbers;

		TransactionalClass(Numbers numbers) {
			this.numbers = numbers;
		}

		@DistributedLock(name = "counter", key = "#id", waitTime = "60s")
		public long increment(String id) {
			return this.numbers.increment(id);
		}

	}

	@DistributedLock(name = "counter", key = "#id", waitTime = "60s")
	static class LockedClass {

		private final Numbers numbers;

		LockedClass(Numbers numbers) {
			this.numbers = numbers;
		}

		@Transactional
		public long increment(String id) {
			return this.numbers.increment(id);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = 0)
	@ConditionalOnProperty(TRANSACTIONS_OUTSIDE)
	static class TransactionsOutside {

	}

}
