// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.SpringCacheAutoConfiguration;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/**
 * {@link SpringItems} in our caches, which stand inside of transactions.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableTransactionManagement(order = 0, proxyTargetClass = true)
@Import(SpringItems.class)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
		GeRedisAutoConfiguration.class, CacheAutoConfiguration.class, SpringCacheAutoConfiguration.class })
public class SpringCacheApplication {

	/** Names the property that says whether rows are evicted when they are written. */
	public static final String EVICTING = SpringItems.EVICTING;

}
