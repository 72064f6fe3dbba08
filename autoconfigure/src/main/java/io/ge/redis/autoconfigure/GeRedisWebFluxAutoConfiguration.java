/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.call.SubscriberScope;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.web.lock.ReactiveFencingTokenConfigurer;
import io.ge.redis.web.problem.ReactiveProblemFields;
import io.ge.redis.web.problem.ReactiveProblemResolver;
import io.ge.redis.web.problem.ReactiveProblemWriter;
import io.ge.redis.web.limit.ReactiveRateLimitHeaders;
import io.ge.redis.web.RefusalCustomizer;
import io.ge.redis.web.problem.RefusalHandlerAdapter;
import io.ge.redis.web.problem.RefusalWebFilter;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.ErrorResponse;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.server.WebFilter;

/**
 * Auto-configuration of the guards' answers in a reactive web application, in the
 * dispatch and in front of Spring Security.
 */
@AutoConfiguration(after = GeRedisAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass({ WebFilter.class, Mono.class })
@ConditionalOnBean(RedisBackends.class)
@Import(RefusalConfiguration.class)
public final class GeRedisWebFluxAutoConfiguration {

	/** Where Spring Security's filter stands in every reactive application. */
	static final int SECURITY_FILTER = -100;

	@Bean
	ReactiveProblemWriter geRedisReactiveProblemWriter(ObjectProvider<RefusalCustomizer> customizers,
			ObjectProvider<ErrorResponse.Interceptor> interceptors, ObjectProvider<ReactiveProblemFields> fields,
			ObjectProvider<JsonMapper> mapper) {
		return new ReactiveProblemWriter(customizers.orderedStream().toList(), interceptors.orderedStream().toList(),
				fields.orderedStream().toList(), mapper.getIfAvailable(JsonMapper::shared));
	}

	@Bean
	ReactiveProblemResolver geRedisReactiveProblemResolver(ReactiveProblemWriter writer, ApplicationContext context) {
		return new ReactiveProblemResolver(writer, context);
	}

	@Bean
	RefusalHandlerAdapter geRedisRefusalHandlerAdapter(ReactiveProblemResolver problems,
			ObjectProvider<RequestMappingHandlerAdapter> adapter, ObjectProvider<SubscriberScope> scopes) {
		return new RefusalHandlerAdapter(problems, adapter::getObject, () -> scopes.orderedStream().toList());
	}

	@Bean
	ReactiveRateLimitHeaders geRedisReactiveRateLimitHeaders(ObjectProvider<RateLimitProperties> properties) {
		return new ReactiveRateLimitHeaders(() -> {
			RateLimitProperties limits = properties.getIfAvailable();
			return (limits != null) ? limits.headers() : RateLimitProperties.Headers.NONE;
		}, WebFilterOrder.RATE_LIMIT_HEADERS.from(SECURITY_FILTER));
	}

	@Bean
	WebFluxConfigurer geRedisFencingTokens() {
		return new ReactiveFencingTokenConfigurer();
	}

	@Bean
	RefusalWebFilter geRedisRefusalWebFilter(ReactiveProblemWriter writer) {
		return new RefusalWebFilter(writer, WebFilterOrder.REFUSAL.from(SECURITY_FILTER));
	}

}
