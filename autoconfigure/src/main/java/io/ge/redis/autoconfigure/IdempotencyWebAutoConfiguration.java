// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.EnumSet;

import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.web.exchange.ExchangeRules;
import io.ge.redis.web.exchange.IdempotencyFilter;
import io.ge.redis.web.exchange.IdempotencyKeyHeader;
import io.ge.redis.web.exchange.IdempotentDispatch;
import io.ge.redis.web.exchange.IdempotentHandlerAdapter;
import io.ge.redis.web.exchange.ReactiveRequests;
import io.ge.redis.web.exchange.ResponseEntityRecorder;
import io.ge.redis.web.exchange.ServletCallScope;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Servlet;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Responses of idempotent handlers.
 */
@AutoConfiguration(after = { IdempotencyAutoConfiguration.class, GeRedisWebAutoConfiguration.class })
@ConditionalOnWebApplication
@ConditionalOnBean(name = "geRedisIdempotencyPattern")
@ConditionalOnUse("idempotency")
public final class IdempotencyWebAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	@ConditionalOnClass({ Servlet.class, DispatcherServlet.class })
	@ConditionalOnBean(IdempotencyKeyHeader.class)
	static class Servlets {

		// Behind all others, also those without an order: they see a replay as they saw
		// the
		// first response
		@Bean
		FilterRegistrationBean<IdempotencyFilter> geRedisIdempotencyFilter(IdempotencyProperties properties) {
			FilterRegistrationBean<IdempotencyFilter> registration = new FilterRegistrationBean<>(
					new IdempotencyFilter(properties));
			registration.setOrder(Ordered.LOWEST_PRECEDENCE);
			registration.setMatchAfter(true);
			registration
				.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.FORWARD, DispatcherType.ASYNC));
			return registration;
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

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	@ConditionalOnClass({ DispatcherHandler.class, Mono.class })
	static class WebFlux {

		@Bean
		IdempotencyKeyHeader geRedisIdempotencyKeyHeader(ObjectProvider<IdempotencyProperties> properties,
				ReactiveRequests requests) {
			return new IdempotencyKeyHeader(() -> properties.getObject().header(), requests);
		}

		@Bean
		ReactiveRequests geRedisReactiveRequests() {
			return new ReactiveRequests();
		}

		@Bean
		ResponseEntityRecorder geRedisResponseEntityRecorder(ObjectProvider<IdempotencyProperties> properties) {
			return ResponseEntityRecorder.onWebFlux(() -> properties.getObject().replayedHeaders());
		}

		@Bean
		IdempotentHandlerAdapter geRedisIdempotentHandlerAdapter(IdempotencyKeyHeader handlers,
				IdempotencyProperties properties, ObjectProvider<HandlerAdapter> adapters,
				ObjectProvider<HandlerResultHandler> results) {
			return new IdempotentHandlerAdapter(handlers, ExchangeRules.of(properties), adapters, results);
		}

	}

}
