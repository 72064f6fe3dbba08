/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.actuate.CoreMeters;
import io.ge.redis.actuate.GuardMeters;
import io.ge.redis.cache.behind.WriteBehind;
import io.ge.redis.cache.behind.WriteBehindEvent;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.event.EventGauge;
import io.ge.redis.lock.guard.LockPattern;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.ratelimit.guard.RateLimitPattern;
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
	GuardMeters geRedisGuardMeters(MeterRegistry registry, ObjectProvider<EventGauge> gauges) {
		return new GuardMeters(registry, gauges.orderedStream().toList());
	}

	@Bean
	EventGauge geRedisRateLimitKeysGauge(ObjectProvider<RateLimitPattern> limits) {
		return new EventGauge("ge.redis.ratelimit.keys",
				"Estimated number of different keys in the last hour on this instance", RateLimitEvent.REQUESTS,
				(name) -> limits.stream().mapToLong((limit) -> limit.distinctKeys(name)).sum());
	}

	@Bean
	EventGauge geRedisLockWaitersGauge(ObjectProvider<LockPattern> locks) {
		return new EventGauge("ge.redis.lock.waiters", "Calls of this instance that wait for a lock", null,
				(all) -> locks.stream().mapToInt(LockPattern::waiting).sum());
	}

	@Bean
	EventGauge geRedisWriteBehindPendingGauge(ObjectProvider<WriteBehind> writeBehind) {
		return new EventGauge("ge.redis.cache.behind.pending", "Keys whose changes wait for the store",
				WriteBehindEvent.WRITTEN,
				(cache) -> writeBehind.stream().mapToLong((writing) -> writing.waiting(cache)).sum());
	}

}
