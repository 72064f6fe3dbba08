// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.consume.Consumers;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * The health contributor {@code geredis}, off with
 * {@code management.health.geredis.enabled=false}. Spring Boot names it after the bean.
 */
@AutoConfiguration(after = GeRedisAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
@ConditionalOnBean(RedisBackends.class)
@ConditionalOnEnabledHealthIndicator("geredis")
public final class GeRedisHealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { "geredisHealthIndicator", "geredisHealthContributor" })
	GeRedisHealthIndicator geredisHealthIndicator(RedisBackends backends, ObjectProvider<Consumers> consumers) {
		return new GeRedisHealthIndicator(backends,
				() -> consumers.stream().flatMap((all) -> all.reports().stream()).toList());
	}

}
