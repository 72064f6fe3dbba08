// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.lock;

import io.ge.redis.lock.FencingToken;
import reactor.core.publisher.Mono;

import org.springframework.core.MethodParameter;
import org.springframework.web.reactive.BindingContext;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.result.method.HandlerMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.ArgumentResolverConfigurer;
import org.springframework.web.server.ServerWebExchange;

/**
 * Keeps parameters with {@link FencingToken} away from the request: what
 * {@link FencingTokenConfigurer} is for servlets.
 */
public class ReactiveFencingTokenConfigurer implements WebFluxConfigurer {

	@Override
	public void configureArgumentResolvers(ArgumentResolverConfigurer configurer) {
		configurer.addCustomResolver(new FencingTokenResolver());
	}

	private static final class FencingTokenResolver implements HandlerMethodArgumentResolver {

		@Override
		public boolean supportsParameter(MethodParameter parameter) {
			return parameter.hasParameterAnnotation(FencingToken.class);
		}

		@Override
		public Mono<Object> resolveArgument(MethodParameter parameter, BindingContext context,
				ServerWebExchange exchange) {
			return Mono.just(0L);
		}

	}

}
