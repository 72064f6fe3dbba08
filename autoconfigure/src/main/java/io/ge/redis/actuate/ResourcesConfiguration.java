// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import io.ge.redis.blacklist.internal.BlacklistPattern;
import io.ge.redis.breaker.internal.BreakerPattern;
import io.ge.redis.broadcast.BroadcastPattern;
import io.ge.redis.cache.internal.CachePattern;
import io.ge.redis.core.consume.Consumers;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.idempotency.internal.IdempotencyPattern;
import io.ge.redis.lock.internal.LockPattern;
import io.ge.redis.queue.QueuePattern;
import io.ge.redis.ratelimit.internal.RateLimitPattern;
import io.ge.redis.session.SessionProperties;
import io.ge.redis.session.Sessions;
import io.ge.redis.stream.StreamPattern;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * The resources of the endpoint, one for each pattern that is in use.
 */
@Lazy
@Configuration(proxyBeanMethods = false)
public class ResourcesConfiguration {

	@Bean
	@ConditionalOnBean(name = "geRedisRateLimitPattern")
	RateLimitResource geRedisRateLimitResource(RateLimitPattern pattern, GuardedMethods methods, GuardFigures figures) {
		return new RateLimitResource(pattern::control, pattern::rules, methods, figures);
	}

	@Bean
	@ConditionalOnBean(name = "geRedisLockPattern")
	LockResource geRedisLockResource(LockPattern pattern, GuardedMethods methods, GuardFigures figures) {
		return new LockResource(pattern::control, methods, figures);
	}

	@Bean
	@ConditionalOnBean(name = "geRedisBreakerPattern")
	BreakerResource geRedisBreakerResource(BreakerPattern pattern) {
		return new BreakerResource(pattern::control);
	}

	@Bean
	@ConditionalOnBean(name = "geRedisIdempotencyPattern")
	IdempotencyResource geRedisIdempotencyResource(IdempotencyPattern pattern, GuardFigures figures) {
		return new IdempotencyResource(pattern::control, figures);
	}

	@Bean
	@ConditionalOnBean(name = "geRedisCachePattern")
	CachesResource geRedisCachesResource(CachePattern pattern) {
		return new CachesResource(pattern);
	}

	@Bean
	@ConditionalOnBean(name = "geRedisBlacklistPattern")
	BlacklistResource geRedisBlacklistResource(BlacklistPattern pattern) {
		return new BlacklistResource(pattern::control);
	}

	@Bean
	@ConditionalOnBean(Consumers.class)
	ConsumersResource geRedisConsumersResource(Consumers consumers) {
		return new ConsumersResource(consumers);
	}

	@Bean
	@ConditionalOnBean(name = "geRedisStreamPattern")
	StreamsResource geRedisStreamsResource(ObjectProvider<StreamPattern> pattern) {
		return new StreamsResource(() -> pattern.getObject().views(), () -> pattern.getObject().deadLetters());
	}

	@Bean
	@ConditionalOnBean(name = "geRedisQueuePattern")
	QueuesResource geRedisQueuesResource(ObjectProvider<QueuePattern> pattern) {
		return new QueuesResource(pattern::getObject);
	}

	@Bean
	@ConditionalOnBean(name = "geRedisBroadcastPattern")
	BroadcastsResource geRedisBroadcastsResource(ObjectProvider<BroadcastPattern> pattern) {
		return new BroadcastsResource(pattern::getObject);
	}

	@Bean
	@ConditionalOnBean(name = "geRedisSessions")
	SessionsResource geRedisSessionsResource(SessionProperties properties, Sessions sessions) {
		return new SessionsResource(properties, sessions);
	}

}
