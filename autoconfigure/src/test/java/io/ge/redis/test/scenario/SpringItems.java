// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import io.ge.redis.test.instance.Operation;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The rows of {@link CacheApplication} behind Spring's own annotations, which put or
 * evict them when they are written, whatever keeps them.
 */
@Configuration(proxyBeanMethods = false)
@EnableCaching(proxyTargetClass = true)
@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
		JdbcTemplateAutoConfiguration.class, TransactionManagerCustomizationAutoConfiguration.class,
		TransactionAutoConfiguration.class })
public class SpringItems {

	/**
	 * Names the property that says whether rows are evicted when they are written, and
	 * not put.
	 */
	public static final String EVICTING = "spring-items.evicting";

	@Bean
	Items items(JdbcTemplate jdbc) {
		return new Items(jdbc);
	}

	@Bean
	CachedItems cachedItems(Items items) {
		return new CachedItems(items);
	}

	@Bean
	Operation write(CachedItems items, Environment environment) {
		boolean evicting = environment.getProperty(EVICTING, Boolean.class, false);
		return (arguments) -> String.valueOf(evicting ? items.evict(arguments[0]) : items.put(arguments[0]));
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

		@CachePut(cacheNames = "items", key = "#id")
		@Transactional
		public Item put(String id) {
			return Item.of(this.items.increment(id));
		}

		@CacheEvict(cacheNames = "items", key = "#id")
		@Transactional
		public Item evict(String id) {
			return Item.of(this.items.increment(id));
		}

		@Cacheable(cacheNames = "items", key = "#id")
		public Item read(String id) {
			return Item.of(this.items.load(id));
		}

	}

}
