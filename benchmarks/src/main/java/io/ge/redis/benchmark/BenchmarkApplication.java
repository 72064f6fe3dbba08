// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.time.Duration;

import com.github.benmanes.caffeine.cache.Caffeine;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.caffeine.CaffeineCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.cache.RedisCacheWriter;
import org.springframework.data.redis.cache.RedisCacheWriter.RedisCacheWriterConfigurer;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.serializer.JacksonJsonRedisSerializer;
import org.springframework.data.redis.serializer.RedisSerializationContext.SerializationPair;

/**
 * An application with the starter and nothing else.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableCaching(proxyTargetClass = true)
class BenchmarkApplication {

	/** More than any run reads. */
	static final int IN_MEMORY = 1_000_000;

	/** Of the cache whose values are kept in memory. */
	static final String[] NEAR = { "ge.redis.cache.caches.near.near.enabled=true",
			"ge.redis.cache.caches.near.near.max-entries=" + IN_MEMORY, "ge.redis.cache.caches.near.near.ttl=10m" };

	/** Whose keys stay, as those of the peers do. */
	static final String[] STRUCTURES = { "ge.redis.leaderboard.boards.bench.permanent=true",
			"ge.redis.leaderboard.boards.million.permanent=true", "ge.redis.counter.counters.bench.permanent=true",
			"ge.redis.counter.counters.million.permanent=true", "ge.redis.bloom.filters.bench.permanent=true",
			"ge.redis.bloom.filters.bench.capacity=" + StructureAtScale.MEMBERS,
			"ge.redis.bloom.filters.bench.error-rate=" + StructureAtScale.ERROR_RATE,
			"ge.redis.bloom.filters.million.permanent=true",
			"ge.redis.bloom.filters.million.capacity=" + StructureAtScale.MEMBERS,
			"ge.redis.bloom.filters.million.error-rate=" + StructureAtScale.ERROR_RATE,
			"ge.redis.geo.indexes.bench.permanent=true", "ge.redis.hash.stores.bench.permanent=true",
			"ge.redis.script.entities.bench.ttl=1h" };

	@Bean
	Guarded guarded() {
		return new Guarded();
	}

	@Bean
	GuardedLater guardedLater() {
		return new GuardedLater();
	}

	@Bean
	CachedByPeer cachedByPeer() {
		return new CachedByPeer();
	}

	// JSON of a known type as ours, which is quicker and smaller than its default. By
	// default it does not wait for its writes either: then its turns would leave work to
	// those that come after them, and nobody could read what was written.
	@Bean
	@Primary
	CacheManager peerCacheManager(RedisConnectionFactory connectionFactory) {
		return peer(RedisCacheWriter.create(connectionFactory, RedisCacheWriterConfigurer::immediateWrites));
	}

	@Bean
	CacheManager peerLockingManager(RedisConnectionFactory connectionFactory) {
		return peer(RedisCacheWriter.create(connectionFactory,
				(configurer) -> configurer.immediateWrites().enableLocking()));
	}

	private static CacheManager peer(RedisCacheWriter writer) {
		RedisCacheConfiguration configuration = RedisCacheConfiguration.defaultCacheConfig()
			.entryTtl(Duration.ofMinutes(10))
			.serializeValuesWith(SerializationPair.fromSerializer(new JacksonJsonRedisSerializer<>(Balance.class)));
		return RedisCacheManager.builder(writer).cacheDefaults(configuration).build();
	}

	@Bean
	CacheManager peerMemoryManager() {
		CaffeineCacheManager manager = new CaffeineCacheManager();
		manager.setCaffeine(Caffeine.newBuilder().maximumSize(IN_MEMORY).expireAfterWrite(Duration.ofMinutes(10)));
		return manager;
	}

}
