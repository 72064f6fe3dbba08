// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.EnumSet;

import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.web.exchange.ExchangeConfiguration;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.Servlet;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.servlet.DispatcherServlet;

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
	@Import(ExchangeConfiguration.OnServlets.class)
	static class Servlets {

		// Behind all others, also those without an order: they see a replay as they saw
		// the first response
		@Bean
		FilterRegistrationBean<Filter> geRedisIdempotencyFilter(IdempotencyProperties properties) {
			FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(
					ExchangeConfiguration.OnServlets.filter(properties));
			registration.setOrder(Ordered.LOWEST_PRECEDENCE);
			registration.setMatchAfter(true);
			registration
				.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.FORWARD, DispatcherType.ASYNC));
			return registration;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	@ConditionalOnClass({ DispatcherHandler.class, Mono.class })
	@Import(ExchangeConfiguration.OnWebFlux.class)
	static class WebFlux {

	}

}
