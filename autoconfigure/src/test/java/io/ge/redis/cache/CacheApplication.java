// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import javax.sql.DataSource;

import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.test.Starts;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Balances in an H2 database, behind a cache.
 */
final class CacheApplication implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	private CacheApplication(ConfigurableApplicationContext context) {
		this.context = context;
	}

	static CacheApplication start(String[] redis, String... properties) {
		return start(Configuration.class, redis, "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", properties);
	}

	/**
	 * Starts one more instance on the database of another one.
	 */
	static CacheApplication start(Class<?> configuration, String[] redis, String database, String... properties) {
		List<String> all = new ArrayList<>(List.of(redis));
		all.addAll(List.of("spring.datasource.url=" + database, "spring.datasource.hikari.maximum-pool-size=40",
				"spring.main.banner-mode=off", "spring.main.log-startup-info=false", "spring.jmx.enabled=false",
				"spring.datasource.hikari.register-mbeans=false", "ge.redis.outage.command-timeout=5s",
				"ge.redis.cache.max-staleness=10m"));
		all.addAll(List.of(properties));
		return new CacheApplication(
				Starts.alone(() -> new SpringApplicationBuilder(configuration).web(WebApplicationType.NONE)
					.registerShutdownHook(false)
					.properties(all.toArray(String[]::new))
					.run()));
	}

	/**
	 * Waits until the guards have their connection and hear of others, on however slow a
	 * machine.
	 */
	CacheApplication connected() {
		return await((backend) -> backend.bus().isSubscribed());
	}

	/**
	 * Waits until the guards have their connection, which may not let them hear of
	 * others.
	 */
	CacheApplication connectedWithoutBus() {
		return await((backend) -> true);
	}

	private CacheApplication await(Predicate<RedisBackend> condition) {
		RedisBackend backend = this.context.getBean(RedisBackends.class).get(null);
		// Asked last: a first attempt that is under way may still fail
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> condition.test(backend) && !backend.breaker().isOpen());
		return this;
	}

	Balances balances() {
		return this.context.getBean(Balances.class);
	}

	GeCaches caches() {
		return this.context.getBean(GeCaches.class);
	}

	Events events() {
		return this.context.getBean(Events.class);
	}

	TransactionTemplate transaction() {
		return new TransactionTemplate(this.context.getBean(PlatformTransactionManager.class));
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	String database() {
		return this.context.getEnvironment().getRequiredProperty("spring.datasource.url");
	}

	@Override
	public void close() {
		this.context.close();
	}

	/**
	 * A balance.
	 *
	 * @param id whose
	 * @param amount how much
	 * @param version the number of changes
	 */
	record Balance(String id, BigDecimal amount, long version) {
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ GeRedisAutoConfiguration.class, CacheAutoConfiguration.class,
			DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class, DataSourceAutoConfiguration.class,
			DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
			TransactionAutoConfiguration.class })
	static class Configuration {

		@Bean
		Balances balances(JdbcTemplate database, PlatformTransactionManager transactions) {
			return new Balances(database, new TransactionTemplate(transactions));
		}

		@Bean
		Events events() {
			return new Events();
		}

		@Bean
		Object schema(DataSource dataSource) {
			new JdbcTemplate(dataSource).execute("create table if not exists balance"
					+ " (id varchar primary key, amount decimal(20,2) not null, version bigint not null)");
			return new Object();
		}

	}

	/**
	 * What the guards told, and on which thread.
	 */
	static class Events implements GuardListener {

		private final List<GuardEvent> all = new CopyOnWriteArrayList<>();

		private final Map<GuardEvent, Thread> threads = new ConcurrentHashMap<>();

		@Override
		public synchronized void onEvent(GuardEvent event) {
			this.all.add(event);
			this.threads.put(event, Thread.currentThread());
		}

		List<String> results() {
			return this.all.stream().map(GuardEvent::result).toList();
		}

		/**
		 * Waits until something is told. What ends on another thread is told there, which
		 * may be a moment after it can be seen.
		 */
		void awaitResult(String result) {
			Awaitility.await(result).atMost(Duration.ofSeconds(30)).until(() -> results().contains(result));
		}

		synchronized List<String> takeResults() {
			List<String> results = results();
			this.all.clear();
			return results;
		}

		synchronized List<GuardEvent> takeEvents() {
			List<GuardEvent> events = List.copyOf(this.all);
			this.all.clear();
			this.threads.clear();
			return events;
		}

		@Nullable Thread threadOf(String result) {
			return this.threads.entrySet()
				.stream()
				.filter((entry) -> entry.getKey().result().equals(result))
				.map(Map.Entry::getValue)
				.findFirst()
				.orElse(null);
		}

	}

	/**
	 * Readers and writers.
	 */
	static class Balances {

		private final JdbcTemplate database;

		private final TransactionTemplate transaction;

		private final AtomicInteger loads = new AtomicInteger();

		/** Run by {@link #find} before it returns. */
		private volatile Runnable whileLoading = () -> {
		};

		/** Run after each commit, while the writer has not yet published. */
		private volatile Runnable afterCommit = () -> {
		};

		Balances(JdbcTemplate database, TransactionTemplate transaction) {
			this.database = database;
			this.transaction = transaction;
		}

		AtomicInteger loads() {
			return this.loads;
		}

		void whileLoading(Runnable action) {
			this.whileLoading = action;
		}

		void afterCommit(Runnable action) {
			this.afterCommit = action;
		}

		void insert(String id, String amount) {
			this.database.update("insert into balance values (?, ?, 0)", id, new BigDecimal(amount));
		}

		@Nullable Balance stored(String id) {
			return this.database
				.query("select * from balance where id = ?",
						(row, number) -> new Balance(row.getString(1), row.getBigDecimal(2), row.getLong(3)), id)
				.stream()
				.findFirst()
				.orElse(null);
		}

		private @Nullable Balance change(String id, String delta) {
			this.database.update("update balance set amount = amount + ?, version = version + 1 where id = ?",
					new BigDecimal(delta), id);
			if (TransactionSynchronizationManager.isSynchronizationActive()) {
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCommit() {
						Balances.this.afterCommit.run();
					}

				});
			}
			return stored(id);
		}

		void addOutsideOfCache(String id, String delta) {
			change(id, delta);
		}

		@CacheAside(cache = "balances", key = "#id", ttl = "1m", negativeTtl = "5s")
		@Nullable Balance find(String id) {
			this.loads.incrementAndGet();
			Balance found = stored(id);
			this.whileLoading.run();
			return found;
		}

		@Transactional(readOnly = true)
		@CacheAside(cache = "balances", key = "#id")
		@Nullable Balance findInTransaction(String id) {
			this.loads.incrementAndGet();
			return stored(id);
		}

		@CacheAside(cache = "changing", key = "#id.toString()")
		@Nullable Balance findChanging(StringBuilder id) {
			this.loads.incrementAndGet();
			this.whileLoading.run();
			return stored(id.toString());
		}

		@CacheAside(cache = "tagged", key = "#id", tags = "#group.toString()")
		@Nullable Balance findTagged(String id, StringBuilder group) {
			this.loads.incrementAndGet();
			this.whileLoading.run();
			return stored(id);
		}

		@CacheAside(cache = "optional", key = "#id")
		Optional<Balance> findOptional(String id) {
			this.loads.incrementAndGet();
			return Optional.ofNullable(stored(id));
		}

		@CacheAside(cache = "grouped", key = "#id", tags = "#group")
		@Nullable Balance findGrouped(String id, String... group) {
			this.loads.incrementAndGet();
			return stored(id);
		}

		@CacheAside(cache = "lists", key = "{#low, #high}", condition = "#low <= #high", unless = "#result.size() > 2")
		List<Balance> between(int low, int high) {
			this.loads.incrementAndGet();
			return this.database.query("select * from balance where amount between ? and ? order by id",
					(row, number) -> new Balance(row.getString(1), row.getBigDecimal(2), row.getLong(3)), low, high);
		}

		@CacheWriteThrough(cache = "balances", key = "#id")
		@Transactional
		@Nullable Balance add(String id, String delta) {
			return change(id, delta);
		}

		@CacheWriteThrough(cache = "balances", key = "#id")
		@Transactional
		@Nullable Balance addAndFail(String id, String delta) {
			change(id, delta);
			throw new IllegalStateException("after the update");
		}

		@CacheWriteThrough(cache = "balances", key = "#id")
		@Nullable Balance addInCallersTransaction(String id, String delta) {
			return change(id, delta);
		}

		@CacheWriteThrough(cache = "balances", key = "#id", value = "@balances.find(#id)")
		void addAndFindInCallersTransaction(String id, String delta) {
			change(id, delta);
		}

		@CacheWriteThrough(cache = "balances", key = "#id")
		@Nullable Balance addAndFailInCallersTransaction(String id, String delta) {
			change(id, delta);
			throw new IllegalStateException("after the update");
		}

		@CacheWriteThrough(cache = "balances", key = "#id")
		@Nullable Balance addInTemplates(String id, String... deltas) {
			Balance last = null;
			for (String delta : deltas) {
				last = this.transaction.execute((status) -> change(id, delta));
			}
			return last;
		}

		@CacheWriteThrough(cache = "balances", key = "#id")
		@Nullable Balance addInRolledBackTemplate(String id, String delta) {
			return this.transaction.execute((status) -> {
				status.setRollbackOnly();
				return change(id, delta);
			});
		}

		@CacheWriteThrough(cache = "balances", key = "#id")
		@Nullable Balance addInTemplateAndFail(String id, String delta) {
			this.transaction.executeWithoutResult((status) -> change(id, delta));
			throw new IllegalStateException("after the commit");
		}

		@CacheWriteThrough(cache = "balances", key = "#id")
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@Nullable Balance addInNewTransaction(String id, String delta) {
			return change(id, delta);
		}

		@CacheWriteThrough(cache = "balances", key = "#id")
		@Transactional(propagation = Propagation.NOT_SUPPORTED)
		@Nullable Balance addOutsideOfTransactions(String id, String delta) {
			return change(id, delta);
		}

		@CacheWriteThrough(cache = "balances", key = "#id")
		@Transactional(propagation = Propagation.NESTED)
		@Nullable Balance addNested(String id, String delta, boolean fail) {
			Balance changed = change(id, delta);
			if (fail) {
				throw new IllegalStateException("after the update");
			}
			return changed;
		}

		@CacheWriteThrough(cache = "balances", key = "#balance.id", value = "#balance")
		@Transactional
		void save(Balance balance) {
			this.database.update("update balance set amount = ?, version = ? where id = ?", balance.amount(),
					balance.version(), balance.id());
		}

		@CacheWriteThrough(cache = "balances", key = "#id", value = "'no balance'")
		@Transactional
		void addWithForeignValue(String id, String delta) {
			change(id, delta);
		}

		@CacheWriteThrough(cache = "balances", key = "#id", value = "#result.nothing")
		@Transactional
		@Nullable Balance addWithFailingValue(String id, String delta) {
			return change(id, delta);
		}

		@CacheWriteThrough(cache = "balances", key = "#id", condition = "#delta != '0'",
				unless = "#result.amount.signum() < 0")
		@Transactional
		@Nullable Balance addUnlessNegative(String id, String delta) {
			return change(id, delta);
		}

		@CacheWriteThrough(cache = "balances", key = "#id")
		@Transactional
		@Nullable Balance remove(String id) {
			this.database.update("delete from balance where id = ?", id);
			return null;
		}

	}

}
