/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.actuate.GeRedisEndpoint;
import io.ge.redis.actuate.GuardFigures;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.invocation.GuardedMethods;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * The endpoint {@code geredis}.
 */
@AutoConfiguration(after = GeRedisAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(RedisBackends.class)
@ConditionalOnAvailableEndpoint(GeRedisEndpoint.class)
public final class GeRedisEndpointAutoConfiguration {

	@Bean
	GuardFigures geRedisFigures() {
		return new GuardFigures();
	}

	@Bean
	@ConditionalOnMissingBean
	GeRedisEndpoint geRedisEndpoint(GuardedMethods methods, GuardFigures figures, RedisBackends backends) {
		return new GeRedisEndpoint(methods, figures, backends);
	}

}
