/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.autoconfigure.application.PatternBackend;
import io.ge.redis.bloom.BloomFilters;
import io.ge.redis.bloom.BloomPattern;
import io.ge.redis.bloom.BloomProperties;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.consume.ConsumerThreads;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.counter.CounterPattern;
import io.ge.redis.counter.CounterProperties;
import io.ge.redis.counter.UniqueCounters;
import io.ge.redis.geo.GeoIndexes;
import io.ge.redis.geo.GeoPattern;
import io.ge.redis.geo.GeoProperties;
import io.ge.redis.hash.HashPattern;
import io.ge.redis.hash.HashProperties;
import io.ge.redis.hash.HashStore;
import io.ge.redis.leaderboard.LeaderboardPattern;
import io.ge.redis.leaderboard.LeaderboardProperties;
import io.ge.redis.leaderboard.Leaderboards;
import io.ge.redis.state.StatePattern;
import io.ge.redis.state.StateProperties;
import io.ge.redis.state.Workspaces;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * Structures: workspaces, leaderboards, unique counters, Bloom filters, geo indexes and
 * hash stores. What is injected is lazy, so that it needs no Redis unless the application
 * uses it.
 */
@AutoConfiguration(after = GeRedisAutoConfiguration.class)
@ConditionalOnBean(RedisBackends.class)
public final class StructureAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "ge.redis.state.enabled", matchIfMissing = true)
	@EnableConfigurationProperties(StateProperties.class)
	static class StateConfiguration {

		@Bean
		StatePattern statePattern(ObjectProvider<StateProperties> properties, ObjectProvider<RedisBackends> backends,
				ObjectProvider<ConsumerThreads> threads, ObjectProvider<JsonMapper> mapper, GuardEvents events,
				Environment environment) {
			return new StatePattern(properties::getObject, new PatternBackend("state", backends, environment),
					threads::getObject, () -> mapper.getIfAvailable(JsonMapper::shared), events);
		}

		@Bean
		@Lazy
		@ConditionalOnMissingBean
		Workspaces geRedisWorkspaces(StatePattern pattern) {
			return pattern.workspaces();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "ge.redis.leaderboard.enabled", matchIfMissing = true)
	@EnableConfigurationProperties(LeaderboardProperties.class)
	static class LeaderboardConfiguration {

		@Bean
		LeaderboardPattern leaderboardPattern(ObjectProvider<LeaderboardProperties> properties,
				ObjectProvider<RedisBackends> backends, Environment environment) {
			return new LeaderboardPattern(properties::getObject,
					new PatternBackend("leaderboard", backends, environment));
		}

		@Bean
		@Lazy
		@ConditionalOnMissingBean
		Leaderboards geRedisLeaderboards(LeaderboardPattern pattern) {
			return pattern.leaderboards();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "ge.redis.counter.enabled", matchIfMissing = true)
	@EnableConfigurationProperties(CounterProperties.class)
	static class CounterConfiguration {

		@Bean
		CounterPattern counterPattern(ObjectProvider<CounterProperties> properties,
				ObjectProvider<RedisBackends> backends, Environment environment) {
			return new CounterPattern(properties::getObject, new PatternBackend("counter", backends, environment));
		}

		@Bean
		@Lazy
		@ConditionalOnMissingBean
		UniqueCounters geRedisUniqueCounters(CounterPattern pattern) {
			return pattern.uniqueCounters();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "ge.redis.bloom.enabled", matchIfMissing = true)
	@EnableConfigurationProperties(BloomProperties.class)
	static class BloomConfiguration {

		/**
		 * Made at startup where filters are configured: checks them against those in
		 * Redis.
		 */
		@Bean(initMethod = "verify")
		BloomPattern bloomPattern(ObjectProvider<BloomProperties> properties, ObjectProvider<RedisBackends> backends,
				Environment environment) {
			return new BloomPattern(properties::getObject, new PatternBackend("bloom", backends, environment));
		}

		@Bean
		@Lazy
		@ConditionalOnMissingBean
		BloomFilters geRedisBloomFilters(BloomPattern pattern) {
			return pattern.bloomFilters();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "ge.redis.geo.enabled", matchIfMissing = true)
	@EnableConfigurationProperties(GeoProperties.class)
	static class GeoConfiguration {

		@Bean
		GeoPattern geoPattern(ObjectProvider<GeoProperties> properties, ObjectProvider<RedisBackends> backends,
				Environment environment) {
			return new GeoPattern(properties::getObject, new PatternBackend("geo", backends, environment));
		}

		@Bean
		@Lazy
		@ConditionalOnMissingBean
		GeoIndexes geRedisGeoIndexes(GeoPattern pattern) {
			return pattern.geoIndexes();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "ge.redis.hash.enabled", matchIfMissing = true)
	@EnableConfigurationProperties(HashProperties.class)
	static class HashConfiguration {

		@Bean
		HashPattern hashPattern(ObjectProvider<HashProperties> properties, ObjectProvider<RedisBackends> backends,
				ObjectProvider<JsonMapper> mapper, Environment environment) {
			return new HashPattern(properties::getObject, new PatternBackend("hash", backends, environment),
					() -> mapper.getIfAvailable(JsonMapper::shared));
		}

		@Bean
		@Lazy
		@ConditionalOnMissingBean
		HashStore geRedisHashStore(HashPattern pattern) {
			return pattern.hashStore();
		}

	}

}
