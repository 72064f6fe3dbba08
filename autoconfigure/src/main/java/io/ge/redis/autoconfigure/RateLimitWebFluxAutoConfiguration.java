/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import io.ge.redis.core.call.SubscriberScope;
import io.ge.redis.core.invocation.PrincipalProvider;
import io.ge.redis.ratelimit.RateLimitProperties.Phase;
import io.ge.redis.ratelimit.guard.RateLimitPattern;
import io.ge.redis.web.cors.HandlerReactiveCors;
import io.ge.redis.web.limit.RateLimitWebFilter;
import io.ge.redis.web.cors.ReactiveCorsFilters;
import io.ge.redis.web.cors.ReactiveCorsHandling;
import io.ge.redis.web.problem.ReactiveProblemResolver;
import io.ge.redis.web.limit.ReactiveRateLimitHeaders;
import io.ge.redis.web.limit.ReceivedRequests;
import io.ge.redis.web.limit.RequestRules;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.cors.reactive.CorsWebFilter;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.server.WebFilter;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Limits on requests by {@code ge.redis.rate-limit.rules} in a reactive web application,
 * before and behind Spring Security's filter.
 */
@AutoConfiguration(after = { RateLimitAutoConfiguration.class, GeRedisWebFluxAutoConfiguration.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass({ DispatcherHandler.class, Mono.class })
@ConditionalOnBean(RateLimitPattern.class)
public final class RateLimitWebFluxAutoConfiguration {

	// The handlers of the application, since Actuator has some of its own
	@Bean
	RequestRules rateLimitRequestRules(RateLimitPattern pattern,
			@Qualifier("requestMappingHandlerMapping") ObjectProvider<RequestMappingHandlerMapping> handlers,
			ObjectProvider<PrincipalProvider> principals) {
		return new RequestRules(pattern.rules(), () -> {
			RequestMappingHandlerMapping mapping = handlers.getIfAvailable();
			return (mapping != null) ? mapping.getPathPatternParser() : PathPatternParser.defaultInstance;
		}, () -> principals.orderedStream().toList(), "#request.headers.getFirst('X-Tenant')");
	}

	@Bean
	RateLimitWebFilter rateLimitFilterBeforeAuthentication(RequestRules rules, ReactiveRateLimitHeaders headers,
			ReactiveProblemResolver problems, ReactiveCorsHandling cors, ObjectProvider<SubscriberScope> scopes) {
		return new RateLimitWebFilter(Phase.BEFORE_AUTHENTICATION, rules, headers, problems, cors,
				() -> scopes.orderedStream().toList(),
				WebFilterOrder.RATE_LIMIT_BEFORE_AUTHENTICATION.from(GeRedisWebFluxAutoConfiguration.SECURITY_FILTER));
	}

	@Bean
	RateLimitWebFilter rateLimitFilterAfterAuthentication(RequestRules rules, ReactiveRateLimitHeaders headers,
			ReactiveProblemResolver problems, ReactiveCorsHandling cors, ObjectProvider<SubscriberScope> scopes) {
		return new RateLimitWebFilter(Phase.AFTER_AUTHENTICATION, rules, headers, problems, cors,
				() -> scopes.orderedStream().toList(),
				WebFilterOrder.RATE_LIMIT_AFTER_AUTHENTICATION.from(GeRedisWebFluxAutoConfiguration.SECURITY_FILTER));
	}

	@Bean
	ReceivedRequests geRedisReceivedRequests() {
		return new ReceivedRequests();
	}

	@Bean
	ReactiveCorsHandling geRedisCorsHandling(ObjectProvider<ReactiveCorsFilters> filters) {
		return new ReactiveCorsHandling(() -> filters.orderedStream().toList());
	}

	@Bean
	@Order(100)
	ReactiveCorsFilters geRedisCorsFilterBeans(ObjectProvider<CorsWebFilter> filters) {
		return (exchange) -> {
			Optional<CorsWebFilter> first = filters.orderedStream().findFirst();
			return Mono.<WebFilter>justOrEmpty(first);
		};
	}

	// Behind all filters
	@Bean
	@Order(200)
	ReactiveCorsFilters geRedisHandlerCors(ObjectProvider<DispatcherHandler> dispatcher) {
		return new HandlerReactiveCors(() -> {
			DispatcherHandler handler = dispatcher.getIfAvailable();
			List<HandlerMapping> mappings = (handler != null) ? handler.getHandlerMappings() : null;
			return (mappings != null) ? mappings : List.of();
		});
	}

	/**
	 * Where Spring Security is there.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(SecurityWebFilterChain.class)
	static class SpringSecurity {

		@Bean
		@Order(0)
		ReactiveCorsFilters geRedisSecurityCors(ObjectProvider<SecurityWebFilterChain> chains) {
			Supplier<List<SecurityWebFilterChain>> all = SingletonSupplier.of(() -> chains.orderedStream().toList());
			return (exchange) -> Flux.fromIterable(all.get())
				.filterWhen((chain) -> chain.matches(exchange), 1)
				.next()
				.flatMapMany(SecurityWebFilterChain::getWebFilters)
				.filter(CorsWebFilter.class::isInstance)
				.next();
		}

	}

}
