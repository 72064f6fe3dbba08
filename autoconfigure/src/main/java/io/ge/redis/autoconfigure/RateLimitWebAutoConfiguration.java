// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.EnumSet;

import io.ge.redis.PrincipalProvider;
import io.ge.redis.core.call.SubscriberScope;
import io.ge.redis.ratelimit.RateLimitProperties.Phase;
import io.ge.redis.ratelimit.internal.RateLimitPattern;
import io.ge.redis.web.limit.RateLimitHeaders;
import io.ge.redis.web.limit.RequestRules;
import io.ge.redis.web.problem.ProblemResolver;
import io.ge.redis.web.problem.ReactiveProblemResolver;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.Servlet;
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
import org.springframework.core.env.Environment;
import org.springframework.web.reactive.DispatcherHandler;
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
				ObjectProvider<PrincipalProvider> principals, Environment environment) {
			return RequestRules.onServlets(pattern.rules(),
					() -> parser.getIfAvailable(() -> PathPatternParser.defaultInstance), principals, environment);
		}

		@Bean
		FilterRegistrationBean<Filter> geRedisRateLimitFilterBeforeAuthentication(RequestRules rules,
				RateLimitHeaders.OnServlets headers, ProblemResolver problems, Environment environment) {
			return filter("geRedisRateLimitBeforeAuthentication",
					headers.filter(Phase.BEFORE_AUTHENTICATION, rules, problems),
					WebFilterOrder.RATE_LIMIT_BEFORE_AUTHENTICATION.inServlets(environment));
		}

		@Bean
		FilterRegistrationBean<Filter> geRedisRateLimitFilterAfterAuthentication(RequestRules rules,
				RateLimitHeaders.OnServlets headers, ProblemResolver problems, Environment environment) {
			return filter("geRedisRateLimitAfterAuthentication",
					headers.filter(Phase.AFTER_AUTHENTICATION, rules, problems),
					WebFilterOrder.RATE_LIMIT_AFTER_AUTHENTICATION.inServlets(environment));
		}

		private static FilterRegistrationBean<Filter> filter(String name, Filter filter, int order) {
			FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter);
			registration.setName(name);
			registration.setOrder(order);
			registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST));
			return registration;
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
				ObjectProvider<PrincipalProvider> principals, Environment environment) {
			return RequestRules.onWebFlux(pattern.rules(), () -> {
				RequestMappingHandlerMapping mapping = handlers.getIfAvailable();
				return (mapping != null) ? mapping.getPathPatternParser() : PathPatternParser.defaultInstance;
			}, principals, environment);
		}

		@Bean
		WebFilter geRedisRateLimitFilterBeforeAuthentication(RequestRules rules, RateLimitHeaders.OnWebFlux headers,
				ReactiveProblemResolver problems, ObjectProvider<SubscriberScope> scopes) {
			return headers.filter(Phase.BEFORE_AUTHENTICATION, rules, problems, scopes,
					WebFilterOrder.RATE_LIMIT_BEFORE_AUTHENTICATION.inWebFlux());
		}

		@Bean
		WebFilter geRedisRateLimitFilterAfterAuthentication(RequestRules rules, RateLimitHeaders.OnWebFlux headers,
				ReactiveProblemResolver problems, ObjectProvider<SubscriberScope> scopes) {
			return headers.filter(Phase.AFTER_AUTHENTICATION, rules, problems, scopes,
					WebFilterOrder.RATE_LIMIT_AFTER_AUTHENTICATION.inWebFlux());
		}

	}

}
