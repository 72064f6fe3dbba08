// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.lock;

import java.util.List;

import io.ge.redis.lock.FencingToken;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Keeps parameters with {@link FencingToken} away from the request. They get 0, which the
 * lock replaces, and which no guarded resource accepts.
 */
public class FencingTokenConfigurer implements WebMvcConfigurer {

	@Override
	public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
		resolvers.add(0, new FencingTokenResolver());
	}

	private static final class FencingTokenResolver implements HandlerMethodArgumentResolver {

		@Override
		public boolean supportsParameter(MethodParameter parameter) {
			return parameter.hasParameterAnnotation(FencingToken.class);
		}

		@Override
		public Object resolveArgument(MethodParameter parameter, @Nullable ModelAndViewContainer container,
				NativeWebRequest request, @Nullable WebDataBinderFactory binders) {
			return 0L;
		}

	}

}
