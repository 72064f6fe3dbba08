// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.net.URI;
import java.util.EnumSet;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.call.SubscriberScope;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.idempotency.IdempotencyException;
import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.lock.LockProperties;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.web.RefusalCustomizer;
import io.ge.redis.web.limit.RateLimitHeaders;
import io.ge.redis.web.lock.FencingTokens;
import io.ge.redis.web.problem.ProblemResolver;
import io.ge.redis.web.problem.ReactiveProblemResolver;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.Servlet;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Controller;
import org.springframework.web.filter.reactive.ServerWebExchangeContextFilter;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.server.WebFilter;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Auto-configuration of the guards' answers on the web: in the dispatch and, in a
 * reactive application, in front of Spring Security.
 */
@AutoConfiguration(after = GeRedisAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnBean(RedisBackends.class)
public final class GeRedisWebAutoConfiguration {

	@Bean
	SmartInitializingSingleton geRedisWebUseCheck(ListableBeanFactory beans, GuardedMethods methods) {
		return () -> methods.onEach((entry) -> requireAnswers(beans, entry));
	}

	// A bean unknown to the conditions: its exceptions would stay unanswered, and its
	// responses unstored
	private static void requireAnswers(ListableBeanFactory beans, GuardedMethods.Entry guarded) {
		Class<?> type = beans.containsBean(guarded.bean()) ? beans.getType(guarded.bean()) : null;
		boolean handler = type != null && guarded.guard().pattern().equals("idempotency")
				&& AnnotatedElementUtils.hasAnnotation(type, Controller.class);
		if (beans.getBeanNamesForType(Used.class, false, false).length == 0
				|| (handler && beans.getBeanNamesForType(UsedForIdempotency.class, false, false).length == 0)) {
			throw new GuardConfigurationException("@" + guarded.guard().annotation() + " on " + guarded.method(),
					"the bean was defined, or its class known, only after the web server had been set up.",
					"Let its @Bean method return the class of the bean, or set ge.redis." + guarded.guard().pattern()
							+ ".enabled=true.")
				.inBean(guarded.bean());
		}
	}

	@Bean
	RefusalCustomizer geRedisLockRefusals(ObjectProvider<LockProperties> properties) {
		return (exception, refusal) -> {
			LockProperties lock = (exception instanceof LockNotAcquiredException) ? properties.getIfAvailable() : null;
			return (lock != null) ? refusal.withStatus(lock.httpStatus()) : refusal;
		};
	}

	@Bean
	RefusalCustomizer geRedisIdempotencyRefusals(ObjectProvider<IdempotencyProperties> properties) {
		return (exception, refusal) -> {
			IdempotencyProperties idempotency = (exception instanceof IdempotencyException)
					? properties.getIfAvailable() : null;
			URI page = (idempotency != null) ? idempotency.documentation() : null;
			return (page != null) ? refusal.withHeader(HttpHeaders.LINK,
					"<" + page.toASCIIString() + ">; rel=\"describedby\"; type=\"text/html\"") : refusal;
		};
	}

	private static RateLimitProperties.Headers headers(ObjectProvider<RateLimitProperties> properties) {
		RateLimitProperties limits = properties.getIfAvailable();
		return (limits != null) ? limits.headers() : RateLimitProperties.Headers.NONE;
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnUse
	static class Used {

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnUse("idempotency")
	static class UsedForIdempotency {

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnUse
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	@ConditionalOnClass({ Servlet.class, DispatcherServlet.class })
	static class Servlets {

		@Bean
		ProblemResolver geRedisProblemResolver(ApplicationContext context) {
			return new ProblemResolver(context);
		}

		@Bean
		FilterRegistrationBean<Filter> geRedisRefusalFilter(ProblemResolver problems, Environment environment) {
			FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(problems.filter());
			registration.setOrder(WebFilterOrder.REFUSAL.inServlets(environment));
			registration.setDispatcherTypes(EnumSet.allOf(DispatcherType.class));
			return registration;
		}

		@Bean
		RateLimitHeaders.OnServlets geRedisRateLimitHeaders(ObjectProvider<RateLimitProperties> properties) {
			return new RateLimitHeaders.OnServlets(() -> headers(properties));
		}

		@Bean
		WebMvcConfigurer geRedisFencingTokens() {
			return new FencingTokens.OnServlets();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnUse
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	@ConditionalOnClass({ WebFilter.class, Mono.class })
	static class WebFlux {

		@Bean
		ReactiveProblemResolver geRedisReactiveProblemResolver(ApplicationContext context) {
			return new ReactiveProblemResolver(context);
		}

		@Bean
		HandlerAdapter geRedisRefusalHandlerAdapter(ReactiveProblemResolver problems,
				ObjectProvider<SubscriberScope> scopes) {
			return problems.adapter(() -> scopes.orderedStream().toList());
		}

		// Behind all others, since they may change the exchange
		@Bean
		@ConditionalOnMissingBean
		ServerWebExchangeContextFilter geRedisExchangeContextFilter() {
			return new ServerWebExchangeContextFilter();
		}

		@Bean
		RateLimitHeaders.OnWebFlux geRedisReactiveRateLimitHeaders(ObjectProvider<RateLimitProperties> properties) {
			return new RateLimitHeaders.OnWebFlux(() -> headers(properties));
		}

		@Bean
		WebFluxConfigurer geRedisFencingTokens() {
			return new FencingTokens.OnWebFlux();
		}

		@Bean
		WebFilter geRedisRefusalWebFilter(ReactiveProblemResolver problems) {
			return problems.filter(WebFilterOrder.REFUSAL.inWebFlux());
		}

	}

}
