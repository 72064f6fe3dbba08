// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.util.List;
import java.util.Objects;

import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheInvalidate;
import io.ge.redis.cache.CacheWriteThrough;
import io.ge.redis.test.instance.Operation;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.beans.factory.annotation.Value;
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
	PublishedItems publishedItems(Items items, PlatformTransactionManager transactions) {
		return new PublishedItems(items, new TransactionTemplate(transactions));
	}

	/**
	 * Writes a row: as a publisher with {@code test.reactive}.
	 */
	@Bean
	Operation write(CachedItems items, PublishedItems published, @Value("${test.reactive:false}") boolean reactive) {
		return (arguments) -> String
			.valueOf(reactive ? published.write(arguments[0]).block() : items.write(arguments[0]));
	}

	/**
	 * Reads a row: as a publisher with {@code test.reactive}.
	 */
	@Bean
	Operation read(CachedItems items, PublishedItems published, @Value("${test.reactive:false}") boolean reactive) {
		return (arguments) -> {
			Item item = reactive ? published.read(arguments[0]).block() : items.read(arguments[0]);
			return Objects.requireNonNull(item).version();
		};
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

	/**
	 * The same, whose results come later and from other threads.
	 */
	public static class PublishedItems {

		private final Items items;

		private final TransactionTemplate transaction;

		PublishedItems(Items items, TransactionTemplate transaction) {
			this.items = items;
			this.transaction = transaction;
		}

		@CacheWriteThrough(cache = "items", key = "#id", tags = "#id.substring(#id.length() - 1)")
		public Mono<Item> write(String id) {
			return Mono.fromCallable(() -> this.transaction.execute((status) -> Item.of(this.items.increment(id))))
				.subscribeOn(Schedulers.boundedElastic());
		}

		@CacheAside(cache = "items", key = "#id", tags = "#id.substring(#id.length() - 1)")
		public Mono<Item> read(String id) {
			return Mono.fromCallable(() -> Item.of(this.items.load(id))).subscribeOn(Schedulers.boundedElastic());
		}

	}

}
