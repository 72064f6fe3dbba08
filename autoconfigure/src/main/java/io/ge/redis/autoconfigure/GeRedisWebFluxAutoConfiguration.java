/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.core.RedisBackends;
import io.ge.redis.web.BlacklistProblems;
import io.ge.redis.web.InvalidKeyProblems;
import io.ge.redis.web.OutageProblems;
import io.ge.redis.web.OutageWebFilter;
import io.ge.redis.web.ProblemMapping;
import io.ge.redis.web.RateLimitCostProblems;
import io.ge.redis.web.RateLimitProblems;
import io.ge.redis.web.ReactiveProblemWriter;
import io.ge.redis.web.RefusedTokenWebFilter;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.ErrorResponse;
import org.springframework.web.server.WebFilter;

/**
 * What the guards say over HTTP, in front of Spring Security in a reactive web
 * application.
 */
@AutoConfiguration(after = GeRedisAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass({ WebFilter.class, Mono.class })
@ConditionalOnBean(RedisBackends.class)
public final class GeRedisWebFluxAutoConfiguration {

	/** Where Spring Security's filter stands in every reactive application. */
	private static final int SECURITY_FILTER = -100;

	@Bean
	ReactiveProblemWriter geRedisReactiveProblemWriter(ObjectProvider<ProblemMapping> mappings,
			ObjectProvider<ErrorResponse.Interceptor> interceptors, ObjectProvider<JsonMapper> mapper) {
		return new ReactiveProblemWriter(mappings.orderedStream().toList(), interceptors.orderedStream().toList(),
				mapper.getIfAvailable(JsonMapper::shared));
	}

	@Bean
	OutageWebFilter geRedisOutageWebFilter(ReactiveProblemWriter writer) {
		return new OutageWebFilter(writer, WebFilterOrder.OUTAGE.from(SECURITY_FILTER));
	}

	@Bean
	RefusedTokenWebFilter geRedisRefusedTokenWebFilter(ReactiveProblemWriter writer) {
		return new RefusedTokenWebFilter(writer, WebFilterOrder.REFUSED_TOKEN.from(SECURITY_FILTER));
	}

	@Bean
	InvalidKeyProblems geRedisInvalidKeyProblems() {
		return new InvalidKeyProblems();
	}

	@Bean
	RateLimitProblems geRedisRateLimitProblems() {
		return new RateLimitProblems();
	}

	@Bean
	RateLimitCostProblems geRedisRateLimitCostProblems() {
		return new RateLimitCostProblems();
	}

	@Bean
	OutageProblems geRedisOutageProblems() {
		return new OutageProblems();
	}

	@Bean
	BlacklistProblems geRedisBlacklistProblems() {
		return new BlacklistProblems();
	}

}
