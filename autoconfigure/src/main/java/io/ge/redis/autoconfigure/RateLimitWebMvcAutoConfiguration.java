/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import java.util.EnumSet;
import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.PrincipalProvider;
import io.ge.redis.ratelimit.RateLimitProperties.Phase;
import io.ge.redis.ratelimit.guard.RateLimitPattern;
import io.ge.redis.web.cors.CorsFilters;
import io.ge.redis.web.cors.CorsHandling;
import io.ge.redis.web.problem.ProblemResolver;
import io.ge.redis.web.limit.RateLimitFilter;
import io.ge.redis.web.limit.RateLimitHeaders;
import io.ge.redis.web.limit.RequestRules;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Servlet;
import org.jspecify.annotations.Nullable;

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
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.filter.CorsFilter;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Rate limits on servlet requests, by rules.
 */
@AutoConfiguration(after = { RateLimitAutoConfiguration.class, GeRedisWebMvcAutoConfiguration.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({ Servlet.class, DispatcherServlet.class })
@ConditionalOnBean(RateLimitPattern.class)
public final class RateLimitWebMvcAutoConfiguration {

	@Bean
	RequestRules rateLimitRequestRules(RateLimitPattern pattern,
			@Qualifier("mvcPatternParser") ObjectProvider<PathPatternParser> parser,
			ObjectProvider<PrincipalProvider> principals) {
		return new RequestRules(pattern.rules(), () -> parser.getIfAvailable(() -> PathPatternParser.defaultInstance),
				() -> principals.orderedStream().toList(), "#request.serverName");
	}

	@Bean
	FilterRegistrationBean<RateLimitFilter> rateLimitFilterBeforeAuthentication(RequestRules rules,
			RateLimitHeaders headers, ProblemResolver problems, CorsHandling cors, Environment environment) {
		return filter("rateLimitBeforeAuthentication",
				new RateLimitFilter(Phase.BEFORE_AUTHENTICATION, rules, headers, problems, cors),
				WebFilterOrder.RATE_LIMIT_BEFORE_AUTHENTICATION.in(environment));
	}

	@Bean
	FilterRegistrationBean<RateLimitFilter> rateLimitFilterAfterAuthentication(RequestRules rules,
			RateLimitHeaders headers, ProblemResolver problems, CorsHandling cors, Environment environment) {
		return filter("rateLimitAfterAuthentication",
				new RateLimitFilter(Phase.AFTER_AUTHENTICATION, rules, headers, problems, cors),
				WebFilterOrder.RATE_LIMIT_AFTER_AUTHENTICATION.in(environment));
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

	// As handlers have it configured, behind all filters. Spring Security asks the same
	// bean
	@Bean
	@Order(200)
	CorsFilters geRedisHandlerCors(
			@Qualifier("mvcHandlerMappingIntrospector") ObjectProvider<CorsConfigurationSource> handlers) {
		Supplier<@Nullable CorsConfigurationSource> source = SingletonSupplier.ofNullable(handlers::getIfAvailable);
		return (request) -> {
			CorsConfigurationSource configured = source.get();
			CorsConfiguration configuration = (configured != null) ? configured.getCorsConfiguration(request) : null;
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
