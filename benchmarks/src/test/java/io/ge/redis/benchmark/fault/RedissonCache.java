// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

import java.util.List;

import org.redisson.api.RedissonClient;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.cache.CacheManager;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.cache.support.SimpleCacheManager;
import org.springframework.cache.transaction.TransactionAwareCacheManagerProxy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * Spring's cache on a map of Redisson, which is what its cache manager makes where no
 * time to live is set.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@Import({ SpringCache.class, RedissonClients.class })
class RedissonCache {

	@Bean
	CacheManager cacheManager(RedissonClient redisson) {
		SimpleCacheManager manager = new SimpleCacheManager();
		manager.setCaches(List.of(new ConcurrentMapCache("items", redisson.getMap("items"), true)));
		manager.initializeCaches();
		return new TransactionAwareCacheManagerProxy(manager);
	}

}
