// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import io.ge.redis.PrincipalProvider;
import io.ge.redis.security.SecurityContextPrincipalProvider;
import io.ge.redis.web.exchange.ReactivePrincipals;
import jakarta.servlet.Servlet;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.server.ServerWebExchange;

/**
 * Auto-configuration of the caller's name: the user of Spring Security where it is
 * present, else the user of the request.
 */
@AutoConfiguration(after = GeRedisAutoConfiguration.class)
@ConditionalOnBean(name = "geRedisGuardVerifier")
public final class GeRedisPrincipalAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(SecurityContextHolder.class)
	static class SpringSecurity {

		@Bean
		@Order(0)
		PrincipalProvider geRedisSecurityContextPrincipalProvider() {
			return new SecurityContextPrincipalProvider();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ SecurityContextHolder.class, Mono.class })
	static class ReactiveSpringSecurity {

		@Bean
		SecurityContextPrincipalProvider.OfSubscriber geRedisSecuritySubscriberScope() {
			return new SecurityContextPrincipalProvider.OfSubscriber();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	@ConditionalOnClass({ ServerWebExchange.class, Mono.class })
	@ConditionalOnMissingClass("org.springframework.security.core.context.SecurityContextHolder")
	static class ReactiveRequests {

		@Bean
		@Order(100)
		ReactivePrincipals geRedisReactivePrincipals() {
			return new ReactivePrincipals();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	@ConditionalOnClass({ Servlet.class, RequestContextHolder.class })
	static class ServletRequests {

		@Bean
		@Order(100)
		PrincipalProvider geRedisServletPrincipalProvider() {
			return () -> (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)
					? PrincipalProvider.nameOf(attributes.getRequest().getUserPrincipal()) : null;
		}

	}

}
