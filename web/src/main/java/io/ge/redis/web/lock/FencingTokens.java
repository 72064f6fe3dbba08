// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.lock;

import java.util.List;

import io.ge.redis.lock.FencingToken;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.reactive.BindingContext;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.result.method.annotation.ArgumentResolverConfigurer;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Keeps parameters with {@link FencingToken} away from the request. They get 0, which the
 * lock replaces, and which no guarded resource accepts.
 */
public final class FencingTokens {

	private FencingTokens() {
	}

	private static boolean isToken(MethodParameter parameter) {
		return parameter.hasParameterAnnotation(FencingToken.class);
	}

	/** Resolves the parameters of handlers on servlets. */
	public static final class OnServlets implements WebMvcConfigurer, HandlerMethodArgumentResolver {

		@Override
		public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
			resolvers.add(0, this);
		}

		@Override
		public boolean supportsParameter(MethodParameter parameter) {
			return isToken(parameter);
		}

		@Override
		public Object resolveArgument(MethodParameter parameter, @Nullable ModelAndViewContainer container,
				NativeWebRequest request, @Nullable WebDataBinderFactory binders) {
			return 0L;
		}

	}

	/** Resolves the parameters of handlers on WebFlux. */
	public static final class OnWebFlux
			implements WebFluxConfigurer, org.springframework.web.reactive.result.method.HandlerMethodArgumentResolver {

		@Override
		public void configureArgumentResolvers(ArgumentResolverConfigurer configurer) {
			configurer.addCustomResolver(this);
		}

		@Override
		public boolean supportsParameter(MethodParameter parameter) {
			return isToken(parameter);
		}

		@Override
		public Mono<Object> resolveArgument(MethodParameter parameter, BindingContext context,
				ServerWebExchange exchange) {
			return Mono.just(0L);
		}

	}

}
