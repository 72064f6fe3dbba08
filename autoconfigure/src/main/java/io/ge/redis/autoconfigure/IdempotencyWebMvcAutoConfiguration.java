/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import java.util.EnumSet;

import io.ge.redis.idempotency.guard.IdempotencyPattern;
import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.web.exchange.servlet.ErrorPages;
import io.ge.redis.web.exchange.servlet.IdempotencyFilter;
import io.ge.redis.web.exchange.IdempotencyKeyHeader;
import io.ge.redis.web.exchange.servlet.IdempotentDispatch;
import io.ge.redis.web.exchange.servlet.ServletCallScope;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Servlet;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletListenerRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Responses of idempotent handlers, on Spring MVC.
 */
@AutoConfiguration(after = { IdempotencyAutoConfiguration.class, GeRedisWebMvcAutoConfiguration.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({ Servlet.class, DispatcherServlet.class })
@ConditionalOnBean({ IdempotencyPattern.class, IdempotencyKeyHeader.class })
public final class IdempotencyWebMvcAutoConfiguration {

	// Behind all others, also those without an order: they see a replay as they saw the
	// first response
	@Bean
	FilterRegistrationBean<IdempotencyFilter> geRedisIdempotencyFilter(IdempotencyProperties properties) {
		FilterRegistrationBean<IdempotencyFilter> registration = new FilterRegistrationBean<>(
				new IdempotencyFilter(properties));
		registration.setOrder(Ordered.LOWEST_PRECEDENCE);
		registration.setMatchAfter(true);
		registration.setDispatcherTypes(
				EnumSet.of(DispatcherType.REQUEST, DispatcherType.FORWARD, DispatcherType.ERROR, DispatcherType.ASYNC));
		return registration;
	}

	@Bean
	ServletListenerRegistrationBean<ErrorPages> geRedisErrorPages() {
		return new ServletListenerRegistrationBean<>(new ErrorPages());
	}

	@Bean
	ServletCallScope geRedisServletCallScope() {
		return new ServletCallScope();
	}

	@Bean
	IdempotentDispatch geRedisIdempotentDispatch(IdempotencyKeyHeader handlers) {
		return new IdempotentDispatch(handlers);
	}

	@Bean
	WebMvcConfigurer geRedisIdempotentDispatchConfigurer(ObjectProvider<IdempotentDispatch> dispatch) {
		return new WebMvcConfigurer() {

			@Override
			public void addInterceptors(InterceptorRegistry registry) {
				registry.addInterceptor(dispatch.getObject()).order(Ordered.HIGHEST_PRECEDENCE);
			}

		};
	}

}
