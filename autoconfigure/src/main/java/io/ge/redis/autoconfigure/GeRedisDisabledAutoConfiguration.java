/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;

/**
 * Says once that the guards are off.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "ge.redis.enabled", havingValue = false)
public final class GeRedisDisabledAutoConfiguration {

	@Bean
	SmartInitializingSingleton geRedisDisabledWarning() {
		return () -> LogFactory.getLog(GeRedisDisabledAutoConfiguration.class)
			.warn("ge.redis.enabled=false: rate limits, locks, idempotency keys, caches and blacklists of GE Redis "
					+ "are off, annotated methods run unguarded");
	}

}
