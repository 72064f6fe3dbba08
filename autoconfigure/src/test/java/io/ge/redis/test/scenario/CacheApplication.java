/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.test.scenario;

import java.util.List;

import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheInvalidate;
import io.ge.redis.cache.CacheWriteThrough;
import io.ge.redis.test.instance.Operation;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Rows behind a cache. Its operations {@code write}, {@code read},
 * {@code readAsOfBefore}, {@code churn}, {@code pace} and {@code loads} are what
 * {@link CacheScenario} and {@link CacheChurnScenario} ask for.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class,
		DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
		TransactionManagerCustomizationAutoConfiguration.class, TransactionAutoConfiguration.class,
		JacksonAutoConfiguration.class, GeRedisAutoConfiguration.class, CacheAutoConfiguration.class })
public class CacheApplication {

	@Bean
	Items items(JdbcTemplate jdbc) {
		return new Items(jdbc);
	}

	@Bean
	CachedItems cachedItems(Items items) {
		return new CachedItems(items);
	}

	@Bean
	Operation write(CachedItems items) {
		return (arguments) -> String.valueOf(items.write(arguments[0]));
	}

	@Bean
	Operation read(CachedItems items) {
		return (arguments) -> items.read(arguments[0]).version();
	}

	@Bean
	Operation readAsOfBefore(CachedItems items, JdbcTemplate jdbc, PlatformTransactionManager transactions) {
		TransactionTemplate transaction = new TransactionTemplate(transactions);
		transaction.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		return (arguments) -> transaction.execute((status) -> {
			Snapshot.take(jdbc);
			return items.read(arguments[0]).version();
		});
	}

	@Bean
	Operation churn(CachedItems items, JdbcTemplate jdbc, PlatformTransactionManager transactions) {
		return new Churn(items::read, items::write, items::writeAlike, jdbc, transactions);
	}

	@Bean
	Operation pace(CachedItems items) {
		return new PacedWrites(items::write);
	}

	@Bean
	Operation loads(Items items) {
		return (arguments) -> String.valueOf(items.loads());
	}

	/**
	 * The cached service.
	 */
	public static class CachedItems {

		private final Items items;

		CachedItems(Items items) {
			this.items = items;
		}

		@CacheWriteThrough(cache = "items", key = "#id", tags = "#id.substring(#id.length() - 1)")
		@Transactional
		public Item write(String id) {
			return Item.of(this.items.increment(id));
		}

		@CacheInvalidate(cache = "items", tags = "#ids[0].substring(#ids[0].length() - 1)")
		@Transactional
		public void writeAlike(List<String> ids) {
			ids.forEach(this.items::increment);
		}

		@CacheAside(cache = "items", key = "#id", tags = "#id.substring(#id.length() - 1)")
		public Item read(String id) {
			return Item.of(this.items.load(id));
		}

	}

}
