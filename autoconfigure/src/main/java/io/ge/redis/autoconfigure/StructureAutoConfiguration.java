// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import io.ge.redis.bloom.BloomFilters;
import io.ge.redis.bloom.BloomProperties;
import io.ge.redis.bloom.RedisBloomFilters;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.consume.ConsumerThreads;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.structure.StructureCalls;
import io.ge.redis.counter.CounterProperties;
import io.ge.redis.counter.RedisUniqueCounters;
import io.ge.redis.counter.UniqueCounters;
import io.ge.redis.geo.GeoIndexes;
import io.ge.redis.geo.GeoProperties;
import io.ge.redis.geo.RedisGeoIndexes;
import io.ge.redis.hash.HashProperties;
import io.ge.redis.hash.HashStore;
import io.ge.redis.hash.RedisHashStore;
import io.ge.redis.leaderboard.LeaderboardProperties;
import io.ge.redis.leaderboard.Leaderboards;
import io.ge.redis.leaderboard.RedisLeaderboards;
import io.ge.redis.script.EntityScripts;
import io.ge.redis.script.RedisEntityScripts;
import io.ge.redis.script.ScriptProperties;
import io.ge.redis.state.RedisWorkspaces;
import io.ge.redis.state.StateProperties;
import io.ge.redis.state.Workspaces;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.util.function.SingletonSupplier;

/**
 * Structures: workspaces, leaderboards, unique counters, Bloom filters, geo indexes, hash
 * stores and entity scripts. The beans are lazy, so that they need no Redis unless the
 * application uses them.
 */
@AutoConfiguration(after = GeRedisAutoConfiguration.class)
@ConditionalOnBean(RedisBackends.class)
public final class StructureAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "ge.redis.state.enabled", matchIfMissing = true)
	@EnableConfigurationProperties(StateProperties.class)
	static class StateConfiguration {

		@Bean
		@Lazy
		@ConditionalOnMissingBean
		Workspaces geRedisWorkspaces(StateProperties properties, ObjectProvider<ConsumerThreads> threads,
				ObjectProvider<JsonMapper> mapper, GuardEvents events, BeanFactory beans) {
			return new RedisWorkspaces(properties,
					new StructureCalls("state", new PatternBackend("state", beans).get()),
					SingletonSupplier.of(threads::getObject), mapper.getIfAvailable(JsonMapper::shared), events);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "ge.redis.leaderboard.enabled", matchIfMissing = true)
	@EnableConfigurationProperties(LeaderboardProperties.class)
	static class LeaderboardConfiguration {

		@Bean
		@Lazy
		@ConditionalOnMissingBean
		Leaderboards geRedisLeaderboards(LeaderboardProperties properties, BeanFactory beans) {
			return new RedisLeaderboards(properties, new PatternBackend("leaderboard", beans).get());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "ge.redis.counter.enabled", matchIfMissing = true)
	@EnableConfigurationProperties(CounterProperties.class)
	static class CounterConfiguration {

		@Bean
		@Lazy
		@ConditionalOnMissingBean
		UniqueCounters geRedisUniqueCounters(CounterProperties properties, BeanFactory beans) {
			return new RedisUniqueCounters(properties, new PatternBackend("counter", beans).get());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "ge.redis.bloom.enabled", matchIfMissing = true)
	@EnableConfigurationProperties(BloomProperties.class)
	static class BloomConfiguration {

		/**
		 * Created at startup where filters are configured: compares them with the ones in
		 * Redis.
		 */
		@Bean(initMethod = "verify")
		@ConditionalOnMissingBean(BloomFilters.class)
		RedisBloomFilters geRedisBloomFilters(BloomProperties properties, BeanFactory beans) {
			return new RedisBloomFilters(properties, new PatternBackend("bloom", beans).get());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "ge.redis.geo.enabled", matchIfMissing = true)
	@EnableConfigurationProperties(GeoProperties.class)
	static class GeoConfiguration {

		@Bean
		@Lazy
		@ConditionalOnMissingBean
		GeoIndexes geRedisGeoIndexes(GeoProperties properties, BeanFactory beans) {
			return new RedisGeoIndexes(properties, new PatternBackend("geo", beans).get());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "ge.redis.hash.enabled", matchIfMissing = true)
	@EnableConfigurationProperties(HashProperties.class)
	static class HashConfiguration {

		@Bean
		@Lazy
		@ConditionalOnMissingBean
		HashStore geRedisHashStore(HashProperties properties, ObjectProvider<JsonMapper> mapper, BeanFactory beans) {
			return new RedisHashStore(properties, new PatternBackend("hash", beans).get(),
					mapper.getIfAvailable(JsonMapper::shared));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "ge.redis.script.enabled", matchIfMissing = true)
	@EnableConfigurationProperties(ScriptProperties.class)
	static class ScriptConfiguration {

		@Bean
		@Lazy
		@ConditionalOnMissingBean
		EntityScripts geRedisEntityScripts(ScriptProperties properties, BeanFactory beans) {
			return new RedisEntityScripts(properties, new PatternBackend("script", beans).get());
		}

	}

}
