// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

import java.time.Duration;

import io.ge.redis.test.scenario.Item;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.serializer.JacksonJsonRedisSerializer;
import org.springframework.data.redis.serializer.RedisSerializationContext.SerializationPair;

/**
 * Spring's cache on Spring Data Redis, whose manager knows of transactions.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration(DataRedisAutoConfiguration.class)
@Import(SpringCache.class)
class SpringDataCache {

	@Bean
	RedisCacheManager cacheManager(RedisConnectionFactory connectionFactory,
			@Value("${peer.ttl:10m}") Duration timeToLive) {
		RedisCacheConfiguration configuration = RedisCacheConfiguration.defaultCacheConfig()
			.entryTtl(timeToLive)
			.serializeValuesWith(SerializationPair.fromSerializer(new JacksonJsonRedisSerializer<>(Item.class)));
		return RedisCacheManager.builder(connectionFactory).cacheDefaults(configuration).transactionAware().build();
	}

}
