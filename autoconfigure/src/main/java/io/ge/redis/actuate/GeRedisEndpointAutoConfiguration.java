// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import io.ge.redis.autoconfigure.BlacklistAutoConfiguration;
import io.ge.redis.autoconfigure.BreakerAutoConfiguration;
import io.ge.redis.autoconfigure.BroadcastAutoConfiguration;
import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.ConsumerAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.IdempotencyAutoConfiguration;
import io.ge.redis.autoconfigure.LockAutoConfiguration;
import io.ge.redis.autoconfigure.QueueAutoConfiguration;
import io.ge.redis.autoconfigure.RateLimitAutoConfiguration;
import io.ge.redis.autoconfigure.SessionAutoConfiguration;
import io.ge.redis.autoconfigure.StreamAutoConfiguration;
import io.ge.redis.blacklist.internal.BlacklistPattern;
import io.ge.redis.breaker.internal.BreakerPattern;
import io.ge.redis.broadcast.BroadcastPattern;
import io.ge.redis.cache.internal.CachePattern;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.consume.Consumers;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.core.event.GuardFigures;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.idempotency.internal.IdempotencyPattern;
import io.ge.redis.lock.internal.LockPattern;
import io.ge.redis.queue.QueuePattern;
import io.ge.redis.ratelimit.internal.RateLimitPattern;
import io.ge.redis.session.SessionProperties;
import io.ge.redis.session.Sessions;
import io.ge.redis.stream.StreamPattern;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/**
 * The endpoint {@code geredis}, with one resource for each pattern that is in use.
 */
@Lazy
@AutoConfiguration(
		after = { GeRedisAutoConfiguration.class, RateLimitAutoConfiguration.class, LockAutoConfiguration.class,
				BreakerAutoConfiguration.class, IdempotencyAutoConfiguration.class, CacheAutoConfiguration.class,
				BlacklistAutoConfiguration.class, ConsumerAutoConfiguration.class, StreamAutoConfiguration.class,
				QueueAutoConfiguration.class, BroadcastAutoConfiguration.class, SessionAutoConfiguration.class })
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(RedisBackends.class)
@ConditionalOnAvailableEndpoint(GeRedisEndpoint.class)
public final class GeRedisEndpointAutoConfiguration {

	@Bean
	GuardFigures geRedisFigures() {
		return new GuardFigures();
	}

	@Bean
	GeRedisEndpointWebExtension.ArgumentsAdvisor geRedisGuardArguments() {
		return new GeRedisEndpointWebExtension.ArgumentsAdvisor();
	}

	@Bean
	GuardResources geRedisGuardResources(ObjectProvider<GuardResource> resources,
			ObjectProvider<PathMappedEndpoints> endpoints) {
		return new GuardResources(resources::orderedStream, endpoints::getIfAvailable);
	}

	@Bean
	@ConditionalOnMissingBean
	GeRedisEndpoint geRedisEndpoint(GuardedMethods methods, GuardFigures figures, RedisBackends backends,
			GuardResources resources) {
		return new GeRedisEndpoint(methods, figures, backends, resources);
	}

	@Bean
	@ConditionalOnMissingBean
	GeRedisEndpointWebExtension geRedisEndpointWebExtension(GuardResources resources) {
		return new GeRedisEndpointWebExtension(resources);
	}

	@Bean
	@ConditionalOnBean(name = "geRedisRateLimitPattern")
	GuardResource geRedisRateLimitResource(RateLimitPattern pattern, GuardedMethods methods, GuardFigures figures) {
		return pattern.control(methods, figures);
	}

	@Bean
	@ConditionalOnBean(name = "geRedisLockPattern")
	GuardResource geRedisLockResource(LockPattern pattern, GuardedMethods methods, GuardFigures figures) {
		return pattern.control(methods, figures);
	}

	@Bean
	@ConditionalOnBean(name = "geRedisBreakerPattern")
	GuardResource geRedisBreakerResource(BreakerPattern pattern) {
		return pattern.control();
	}

	@Bean
	@ConditionalOnBean(name = "geRedisIdempotencyPattern")
	GuardResource geRedisIdempotencyResource(IdempotencyPattern pattern, GuardFigures figures) {
		return pattern.control(figures);
	}

	@Bean
	@ConditionalOnBean(name = "geRedisCachePattern")
	CachesResource geRedisCachesResource(CachePattern pattern) {
		return new CachesResource(pattern);
	}

	@Bean
	@ConditionalOnBean(name = "geRedisBlacklistPattern")
	GuardResource geRedisBlacklistResource(BlacklistPattern pattern) {
		return pattern.control();
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
