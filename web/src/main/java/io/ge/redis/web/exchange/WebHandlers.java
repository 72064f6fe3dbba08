// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.util.List;
import java.util.Set;

import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.ReturnTypes;

import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotatedMethod;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.http.HttpEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.service.annotation.HttpExchange;

/**
 * Which methods are web handlers, and what becomes of their results.
 */
public final class WebHandlers {

	private WebHandlers() {
	}

	public static boolean isHandler(GuardedMethod method) {
		return AnnotatedElementUtils.hasAnnotation(method.targetClass(), Controller.class)
				&& (AnnotatedElementUtils.hasAnnotation(method.method(), RequestMapping.class)
						|| AnnotatedElementUtils.hasAnnotation(method.method(), HttpExchange.class));
	}

	static boolean returnsBody(GuardedMethod method) {
		return HttpEntity.class.isAssignableFrom(ReturnTypes.result(method).toClass())
				|| new AnnotatedMethod(method.method()).hasMethodAnnotation(ResponseBody.class)
				|| AnnotatedElementUtils.hasAnnotation(method.targetClass(), ResponseBody.class);
	}

	/**
	 * Returns whether a handler that publishes several elements sends them one by one.
	 */
	public static boolean isSentInPieces(GuardedMethod method, ResolvableType publisher, List<Class<?>> pieces,
			Set<String> streams) {
		Class<?> element = publisher.getGeneric().resolve(Object.class);
		return pieces.stream().anyMatch((piece) -> piece.isAssignableFrom(element))
				|| produced(method).stream().anyMatch(streams::contains);
	}

	private static List<String> produced(GuardedMethod method) {
		return MergedAnnotations.from(method.method(), SearchStrategy.TYPE_HIERARCHY)
			.get(RequestMapping.class)
			.getValue("produces", String[].class)
			.map(List::of)
			.orElse(List.of());
	}

}
