/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import java.util.EnumSet;

import io.ge.redis.core.invocation.PrincipalProvider;
import io.ge.redis.ratelimit.RateLimitGuard;
import io.ge.redis.ratelimit.RateLimitProperties.Phase;
import io.ge.redis.web.ProblemResolver;
import io.ge.redis.web.RateLimitFilter;
import io.ge.redis.web.RateLimitHeaders;
import io.ge.redis.web.RequestRules;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Servlet;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Rate limits on servlet requests, by rules.
 */
@AutoConfiguration(after = { RateLimitAutoConfiguration.class, GeRedisWebMvcAutoConfiguration.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({ Servlet.class, DispatcherServlet.class })
@ConditionalOnBean(RateLimitGuard.class)
public final class RateLimitWebMvcAutoConfiguration {

	@Bean
	RequestRules rateLimitRequestRules(RateLimitGuard guard,
			@Qualifier("mvcPatternParser") ObjectProvider<PathPatternParser> parser,
			ObjectProvider<PrincipalProvider> principals) {
		return new RequestRules(guard.rules(), () -> parser.getIfAvailable(() -> PathPatternParser.defaultInstance),
				() -> principals.orderedStream().toList());
	}

	@Bean
	FilterRegistrationBean<RateLimitFilter> rateLimitFilterBeforeAuthentication(RequestRules rules,
			RateLimitHeaders headers, ProblemResolver problems, Environment environment) {
		return filter("rateLimitBeforeAuthentication",
				new RateLimitFilter(Phase.BEFORE_AUTHENTICATION, rules, headers, problems),
				WebFilterOrder.RATE_LIMIT_BEFORE_AUTHENTICATION.in(environment));
	}

	@Bean
	FilterRegistrationBean<RateLimitFilter> rateLimitFilterAfterAuthentication(RequestRules rules,
			RateLimitHeaders headers, ProblemResolver problems, Environment environment) {
		return filter("rateLimitAfterAuthentication",
				new RateLimitFilter(Phase.AFTER_AUTHENTICATION, rules, headers, problems),
				WebFilterOrder.RATE_LIMIT_AFTER_AUTHENTICATION.in(environment));
	}

	private static FilterRegistrationBean<RateLimitFilter> filter(String name, RateLimitFilter filter, int order) {
		FilterRegistrationBean<RateLimitFilter> registration = new FilterRegistrationBean<>(filter);
		registration.setName(name);
		registration.setOrder(order);
		registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST));
		return registration;
	}

}
