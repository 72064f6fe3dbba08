/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import io.ge.redis.autoconfigure.application.WebFilterOrder;
import io.ge.redis.autoconfigure.condition.ConditionalOnUse;
import io.ge.redis.core.call.SubscriberScope;
import io.ge.redis.core.invocation.PrincipalProvider;
import io.ge.redis.ratelimit.RateLimitProperties.Phase;
import io.ge.redis.ratelimit.guard.RateLimitPattern;
import io.ge.redis.web.cors.CorsFilters;
import io.ge.redis.web.cors.CorsHandling;
import io.ge.redis.web.cors.HandlerReactiveCors;
import io.ge.redis.web.cors.ReactiveCorsFilters;
import io.ge.redis.web.cors.ReactiveCorsHandling;
import io.ge.redis.web.limit.RateLimitFilter;
import io.ge.redis.web.limit.RateLimitHeaders;
import io.ge.redis.web.limit.RateLimitWebFilter;
import io.ge.redis.web.limit.ReactiveRateLimitHeaders;
import io.ge.redis.web.limit.ReceivedRequests;
import io.ge.redis.web.limit.RequestRules;
import io.ge.redis.web.problem.ProblemResolver;
import io.ge.redis.web.problem.ReactiveProblemResolver;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Servlet;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.reactive.CorsWebFilter;
import org.springframework.web.filter.CorsFilter;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.server.WebFilter;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Limits on requests by {@code ge.redis.rate-limit.rules}, before and behind Spring
 * Security's filter.
 */
@AutoConfiguration(after = { RateLimitAutoConfiguration.class, GeRedisWebAutoConfiguration.class })
@ConditionalOnWebApplication
@ConditionalOnBean(name = "geRedisRateLimitPattern")
@ConditionalOnUse("rate-limit")
public final class RateLimitWebAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	@ConditionalOnClass({ Servlet.class, DispatcherServlet.class })
	static class Servlets {

		@Bean
		RequestRules geRedisRateLimitRequestRules(RateLimitPattern pattern,
				@Qualifier("mvcPatternParser") ObjectProvider<PathPatternParser> parser,
				ObjectProvider<PrincipalProvider> principals) {
			return RequestRules.onServlets(pattern.rules(),
					() -> parser.getIfAvailable(() -> PathPatternParser.defaultInstance),
					() -> principals.orderedStream().toList());
		}

		@Bean
		FilterRegistrationBean<RateLimitFilter> geRedisRateLimitFilterBeforeAuthentication(RequestRules rules,
				RateLimitHeaders headers, ProblemResolver problems, CorsHandling cors, Environment environment) {
			return filter("geRedisRateLimitBeforeAuthentication",
					new RateLimitFilter(Phase.BEFORE_AUTHENTICATION, rules, headers, problems, cors),
					WebFilterOrder.RATE_LIMIT_BEFORE_AUTHENTICATION.inServlets(environment));
		}

		@Bean
		FilterRegistrationBean<RateLimitFilter> geRedisRateLimitFilterAfterAuthentication(RequestRules rules,
				RateLimitHeaders headers, ProblemResolver problems, CorsHandling cors, Environment environment) {
			return filter("geRedisRateLimitAfterAuthentication",
					new RateLimitFilter(Phase.AFTER_AUTHENTICATION, rules, headers, problems, cors),
					WebFilterOrder.RATE_LIMIT_AFTER_AUTHENTICATION.inServlets(environment));
		}

		@Bean
		CorsHandling geRedisCorsHandling(ObjectProvider<CorsFilters> filters) {
			return new CorsHandling(() -> filters.orderedStream().toList());
		}

		@Bean
		@Order(100)
		CorsFilters geRedisCorsFilterBeans(ObjectProvider<CorsFilter> filters) {
			Supplier<@Nullable CorsFilter> first = SingletonSupplier
				.ofNullable(() -> filters.orderedStream().findFirst().orElse(null));
			return (request) -> first.get();
		}

		// As handlers have it configured, behind all filters. Spring Security asks the
		// same
		// bean
		@Bean
		@Order(200)
		CorsFilters geRedisHandlerCors(
				@Qualifier("mvcHandlerMappingIntrospector") ObjectProvider<CorsConfigurationSource> handlers) {
			Supplier<@Nullable CorsConfigurationSource> source = SingletonSupplier.ofNullable(handlers::getIfAvailable);
			return (request) -> {
				CorsConfigurationSource configured = source.get();
				CorsConfiguration configuration = (configured != null) ? configured.getCorsConfiguration(request)
						: null;
				return (configuration != null) ? new CorsFilter((same) -> configuration) : null;
			};
		}

		private static FilterRegistrationBean<RateLimitFilter> filter(String name, RateLimitFilter filter, int order) {
			FilterRegistrationBean<RateLimitFilter> registration = new FilterRegistrationBean<>(filter);
			registration.setName(name);
			registration.setOrder(order);
			registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST));
			return registration;
		}

		@Configuration(proxyBeanMethods = false)
		@ConditionalOnClass(SecurityFilterChain.class)
		static class SpringSecurity {

			@Bean
			@Order(0)
			CorsFilters geRedisSecurityCors(ObjectProvider<SecurityFilterChain> chains) {
				Supplier<List<SecurityFilterChain>> all = SingletonSupplier.of(() -> chains.orderedStream().toList());
				return (request) -> all.get()
					.stream()
					.filter((chain) -> chain.matches(request))
					.findFirst()
					.flatMap((chain) -> chain.getFilters().stream().filter(CorsFilter.class::isInstance).findFirst())
					.orElse(null);
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	@ConditionalOnClass({ DispatcherHandler.class, Mono.class })
	static class WebFlux {

		// The handlers of the application, since Actuator has some of its own
		@Bean
		RequestRules geRedisRateLimitRequestRules(RateLimitPattern pattern,
				@Qualifier("requestMappingHandlerMapping") ObjectProvider<RequestMappingHandlerMapping> handlers,
				ObjectProvider<PrincipalProvider> principals) {
			return RequestRules.onWebFlux(pattern.rules(), () -> {
				RequestMappingHandlerMapping mapping = handlers.getIfAvailable();
				return (mapping != null) ? mapping.getPathPatternParser() : PathPatternParser.defaultInstance;
			}, () -> principals.orderedStream().toList());
		}

		@Bean
		RateLimitWebFilter geRedisRateLimitFilterBeforeAuthentication(RequestRules rules,
				ReactiveRateLimitHeaders headers, ReactiveProblemResolver problems, ReactiveCorsHandling cors,
				ObjectProvider<SubscriberScope> scopes) {
			return new RateLimitWebFilter(Phase.BEFORE_AUTHENTICATION, rules, headers, problems, cors,
					() -> scopes.orderedStream().toList(), WebFilterOrder.RATE_LIMIT_BEFORE_AUTHENTICATION.inWebFlux());
		}

		@Bean
		RateLimitWebFilter geRedisRateLimitFilterAfterAuthentication(RequestRules rules,
				ReactiveRateLimitHeaders headers, ReactiveProblemResolver problems, ReactiveCorsHandling cors,
				ObjectProvider<SubscriberScope> scopes) {
			return new RateLimitWebFilter(Phase.AFTER_AUTHENTICATION, rules, headers, problems, cors,
					() -> scopes.orderedStream().toList(), WebFilterOrder.RATE_LIMIT_AFTER_AUTHENTICATION.inWebFlux());
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

		@Configuration(proxyBeanMethods = false)
		@ConditionalOnClass(SecurityWebFilterChain.class)
		static class SpringSecurity {

			@Bean
			@Order(0)
			ReactiveCorsFilters geRedisSecurityCors(ObjectProvider<SecurityWebFilterChain> chains) {
				Supplier<List<SecurityWebFilterChain>> all = SingletonSupplier
					.of(() -> chains.orderedStream().toList());
				return (exchange) -> Flux.fromIterable(all.get())
					.filterWhen((chain) -> chain.matches(exchange), 1)
					.next()
					.flatMapMany(SecurityWebFilterChain::getWebFilters)
					.filter(CorsWebFilter.class::isInstance)
					.next();
			}

		}

	}

}
