/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.benchmark.fault;

import io.ge.redis.test.instance.Operation;
import io.ge.redis.test.scenario.Churn;
import io.ge.redis.test.scenario.Item;
import io.ge.redis.test.scenario.Items;
import io.ge.redis.test.scenario.Snapshot;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.CachingConfigurer;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.interceptor.CacheErrorHandler;
import org.springframework.cache.interceptor.LoggingCacheErrorHandler;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Rows behind Spring's cache, whatever it stands on.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
		JdbcTemplateAutoConfiguration.class, TransactionManagerCustomizationAutoConfiguration.class,
		TransactionAutoConfiguration.class })
@EnableCaching(proxyTargetClass = true)
class SpringCache {

	@Bean
	@ConditionalOnProperty("peer.log-errors")
	CachingConfigurer tolerant() {
		return new CachingConfigurer() {

			@Override
			public CacheErrorHandler errorHandler() {
				return new LoggingCacheErrorHandler();
			}

		};
	}

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
		return (arguments) -> String.valueOf(items.write(arguments[0]).version());
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
		TransactionTemplate transaction = new TransactionTemplate(transactions);
		return new Churn(items::read, items::write,
				(ids) -> transaction.executeWithoutResult((status) -> ids.forEach(items::write)), jdbc, transactions);
	}

	@Bean
	Operation loads(Items items) {
		return (arguments) -> String.valueOf(items.loads());
	}

	/**
	 * The cached service.
	 */
	static class CachedItems {

		private final Items items;

		CachedItems(Items items) {
			this.items = items;
		}

		@CachePut(cacheNames = "items", key = "#id")
		@Transactional
		public Item write(String id) {
			return Item.of(this.items.increment(id));
		}

		@Cacheable(cacheNames = "items", key = "#id")
		public Item read(String id) {
			return Item.of(this.items.load(id));
		}

	}

}
