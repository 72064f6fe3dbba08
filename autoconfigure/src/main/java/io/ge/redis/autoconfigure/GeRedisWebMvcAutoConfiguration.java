/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import java.util.EnumSet;

import io.ge.redis.core.RedisBackends;
import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.web.lock.FencingTokenConfigurer;
import io.ge.redis.web.exchange.IdempotencyKeyHeader;
import io.ge.redis.web.problem.ProblemFields;
import io.ge.redis.web.problem.ProblemResolver;
import io.ge.redis.web.problem.ProblemWriter;
import io.ge.redis.web.limit.RateLimitHeaders;
import io.ge.redis.web.RefusalCustomizer;
import io.ge.redis.web.problem.RefusalFilter;
import io.ge.redis.web.exchange.ResponseEntityRecorder;
import io.ge.redis.web.exchange.servlet.ServletRequests;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Servlet;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.web.ErrorResponse;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Auto-configuration of the guards' answers on Spring MVC.
 */
@AutoConfiguration(after = GeRedisAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({ Servlet.class, DispatcherServlet.class })
@ConditionalOnBean(RedisBackends.class)
@Import(RefusalConfiguration.class)
public final class GeRedisWebMvcAutoConfiguration {

	@Bean
	ProblemWriter geRedisProblemWriter(ObjectProvider<RefusalCustomizer> customizers,
			ObjectProvider<ErrorResponse.Interceptor> interceptors, ObjectProvider<ProblemFields> fields,
			ObjectProvider<JsonMapper> mapper) {
		return new ProblemWriter(customizers.orderedStream().toList(), interceptors.orderedStream().toList(),
				fields.orderedStream().toList(), mapper.getIfAvailable(JsonMapper::shared));
	}

	@Bean
	ProblemResolver geRedisProblemResolver(ProblemWriter writer, ApplicationContext context) {
		return new ProblemResolver(writer, context);
	}

	@Bean
	FilterRegistrationBean<RefusalFilter> geRedisRefusalFilter(ProblemWriter writer, Environment environment) {
		FilterRegistrationBean<RefusalFilter> registration = new FilterRegistrationBean<>(new RefusalFilter(writer));
		registration.setOrder(WebFilterOrder.REFUSAL.in(environment));
		registration.setDispatcherTypes(EnumSet.allOf(DispatcherType.class));
		return registration;
	}

	@Bean
	IdempotencyKeyHeader geRedisIdempotencyKeyHeader(ObjectProvider<IdempotencyProperties> properties) {
		return new IdempotencyKeyHeader(() -> properties.getObject().header(), new ServletRequests());
	}

	@Bean
	ResponseEntityRecorder geRedisResponseEntityRecorder(ObjectProvider<IdempotencyProperties> properties) {
		return ResponseEntityRecorder.onServlets(() -> properties.getObject().replayedHeaders());
	}

	@Bean
	RateLimitHeaders geRedisRateLimitHeaders(ObjectProvider<RateLimitProperties> properties) {
		return new RateLimitHeaders(() -> properties.getObject().headers());
	}

	@Bean
	WebMvcConfigurer geRedisFencingTokens() {
		return new FencingTokenConfigurer();
	}

}
