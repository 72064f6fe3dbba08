/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.actuate.BlacklistMeters;
import io.ge.redis.actuate.CacheMeters;
import io.ge.redis.actuate.CoreMeters;
import io.ge.redis.actuate.IdempotencyMeters;
import io.ge.redis.actuate.LockMeters;
import io.ge.redis.actuate.RateLimitMeters;
import io.ge.redis.actuate.RefreshTokenMeters;
import io.ge.redis.actuate.WriteBehindMeters;
import io.ge.redis.cache.behind.WriteBehind;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.lock.LockPattern;
import io.ge.redis.ratelimit.RateLimitPattern;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/**
 * Meters.
 */
@AutoConfiguration(after = GeRedisAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ MeterRegistry.class, RedisBackends.class })
public final class GeRedisMetricsAutoConfiguration {

	@Bean
	CoreMeters geRedisCoreMeters(MeterRegistry registry) {
		return new CoreMeters(registry);
	}

	@Bean
	BlacklistMeters geRedisBlacklistMeters(MeterRegistry registry) {
		return new BlacklistMeters(registry);
	}

	@Bean
	IdempotencyMeters geRedisIdempotencyMeters(MeterRegistry registry) {
		return new IdempotencyMeters(registry);
	}

	@Bean
	RateLimitMeters geRedisRateLimitMeters(MeterRegistry registry, ObjectProvider<RateLimitPattern> limits) {
		return new RateLimitMeters(registry,
				(name) -> limits.stream().mapToLong((guard) -> guard.distinctKeys(name)).sum());
	}

	@Bean
	LockMeters geRedisLockMeters(MeterRegistry registry, ObjectProvider<LockPattern> locks) {
		return new LockMeters(registry, () -> locks.stream().mapToInt(LockPattern::waiting).sum());
	}

	@Bean
	RefreshTokenMeters geRedisRefreshTokenMeters(MeterRegistry registry) {
		return new RefreshTokenMeters(registry);
	}

	@Bean
	CacheMeters geRedisCacheMeters(MeterRegistry registry) {
		return new CacheMeters(registry);
	}

	@Bean
	WriteBehindMeters geRedisWriteBehindMeters(MeterRegistry registry, ObjectProvider<WriteBehind> writeBehind) {
		return new WriteBehindMeters(registry,
				(cache) -> writeBehind.stream().mapToLong((writing) -> writing.waiting(cache)).sum());
	}

}
