// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

import io.ge.redis.test.instance.Operation;
import io.ge.redis.test.scenario.Churn;
import io.ge.redis.test.scenario.SpringItems;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.cache.annotation.CachingConfigurer;
import org.springframework.cache.interceptor.CacheErrorHandler;
import org.springframework.cache.interceptor.LoggingCacheErrorHandler;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Rows behind Spring's cache, whatever it stands on, with what peers are asked for
 * besides.
 */
@Configuration(proxyBeanMethods = false)
@Import(SpringItems.class)
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
	Operation churn(SpringItems.CachedItems items, JdbcTemplate jdbc, PlatformTransactionManager transactions) {
		TransactionTemplate transaction = new TransactionTemplate(transactions);
		return new Churn(items::read, items::put,
				(ids) -> transaction.executeWithoutResult((status) -> ids.forEach(items::put)), jdbc, transactions);
	}

}
