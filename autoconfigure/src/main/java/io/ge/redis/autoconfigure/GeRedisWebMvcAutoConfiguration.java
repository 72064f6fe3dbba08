/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import java.util.EnumSet;

import io.ge.redis.core.RedisBackends;
import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.web.BlacklistProblems;
import io.ge.redis.web.CacheProblems;
import io.ge.redis.web.IdempotencyKeyHeader;
import io.ge.redis.web.IdempotencyProblems;
import io.ge.redis.web.OutageFilter;
import io.ge.redis.lock.LockProperties;
import io.ge.redis.web.FencingTokenConfigurer;
import io.ge.redis.web.InvalidKeyProblems;
import io.ge.redis.web.LockProblems;
import io.ge.redis.web.OutageProblems;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.web.ProblemFields;
import io.ge.redis.web.ProblemMapping;
import io.ge.redis.web.ProblemResolver;
import io.ge.redis.web.ProblemWriter;
import io.ge.redis.web.RateLimitCostProblems;
import io.ge.redis.web.RateLimitHeaders;
import io.ge.redis.web.RateLimitProblems;
import io.ge.redis.web.RefusedTokenFilter;
import io.ge.redis.web.ResponseEntityRecorder;
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
import org.springframework.core.env.Environment;
import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponse;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * What the guards say over HTTP, on Spring MVC.
 */
@AutoConfiguration(after = GeRedisAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({ Servlet.class, DispatcherServlet.class })
@ConditionalOnBean(RedisBackends.class)
public final class GeRedisWebMvcAutoConfiguration {

	@Bean
	ProblemWriter geRedisProblemWriter(ObjectProvider<ProblemMapping> mappings,
			ObjectProvider<ErrorResponse.Interceptor> interceptors, ObjectProvider<ProblemFields> fields,
			ObjectProvider<JsonMapper> mapper) {
		return new ProblemWriter(mappings.orderedStream().toList(), interceptors.orderedStream().toList(),
				fields.orderedStream().toList(), mapper.getIfAvailable(JsonMapper::shared));
	}

	@Bean
	ProblemResolver geRedisProblemResolver(ProblemWriter writer, ApplicationContext context) {
		return new ProblemResolver(writer, context);
	}

	@Bean
	FilterRegistrationBean<OutageFilter> geRedisOutageFilter(ProblemWriter writer, Environment environment) {
		FilterRegistrationBean<OutageFilter> registration = new FilterRegistrationBean<>(new OutageFilter(writer));
		registration.setOrder(WebFilterOrder.OUTAGE.in(environment));
		registration.setDispatcherTypes(EnumSet.allOf(DispatcherType.class));
		return registration;
	}

	@Bean
	FilterRegistrationBean<RefusedTokenFilter> geRedisRefusedTokenFilter(ProblemWriter writer,
			Environment environment) {
		FilterRegistrationBean<RefusedTokenFilter> registration = new FilterRegistrationBean<>(
				new RefusedTokenFilter(writer));
		registration.setOrder(WebFilterOrder.REFUSED_TOKEN.in(environment));
		return registration;
	}

	@Bean
	InvalidKeyProblems geRedisInvalidKeyProblems() {
		return new InvalidKeyProblems();
	}

	@Bean
	OutageProblems geRedisOutageProblems() {
		return new OutageProblems();
	}

	@Bean
	CacheProblems geRedisCacheProblems() {
		return new CacheProblems();
	}

	@Bean
	BlacklistProblems geRedisBlacklistProblems() {
		return new BlacklistProblems();
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
	IdempotencyProblems geRedisIdempotencyProblems(ObjectProvider<IdempotencyProperties> properties) {
		IdempotencyProperties idempotency = properties.getIfAvailable();
		return new IdempotencyProblems((idempotency != null) ? idempotency.documentation() : null);
	}

	@Bean
	IdempotencyKeyHeader geRedisIdempotencyKeyHeader(ObjectProvider<IdempotencyProperties> properties) {
		return IdempotencyKeyHeader.onServlets(() -> properties.getObject().header());
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
	LockProblems geRedisLockProblems(ObjectProvider<LockProperties> properties) {
		LockProperties lock = properties.getIfAvailable();
		return new LockProblems((lock != null) ? HttpStatus.valueOf(lock.httpStatus()) : HttpStatus.CONFLICT);
	}

	@Bean
	WebMvcConfigurer geRedisFencingTokens() {
		return new FencingTokenConfigurer();
	}

}
