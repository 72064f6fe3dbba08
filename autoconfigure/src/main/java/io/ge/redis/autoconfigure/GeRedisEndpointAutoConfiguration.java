// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import io.ge.redis.actuate.GeRedisEndpoint;
import io.ge.redis.actuate.GeRedisEndpointWebExtension;
import io.ge.redis.actuate.GuardArguments;
import io.ge.redis.actuate.GuardFigures;
import io.ge.redis.actuate.GuardResource;
import io.ge.redis.actuate.GuardResources;
import io.ge.redis.actuate.ResourcesConfiguration;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.guard.GuardedMethods;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;

/**
 * The endpoint {@code geredis}.
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
@Import(ResourcesConfiguration.class)
public final class GeRedisEndpointAutoConfiguration {

	@Bean
	GuardFigures geRedisFigures() {
		return new GuardFigures();
	}

	@Bean
	GuardArguments.Advisor geRedisGuardArguments() {
		return new GuardArguments.Advisor();
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

}
