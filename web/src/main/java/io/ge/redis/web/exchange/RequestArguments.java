// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.Annotation;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TimeZone;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpEntity;
import org.springframework.web.bind.annotation.MatrixVariable;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.multipart.MultipartFile;

/**
 * The arguments of a handler that are the content of the request: not headers, cookies,
 * sessions, the user and what the server injects, in which a repetition may differ.
 */
final class RequestArguments {

	private static final List<Class<? extends Annotation>> CONTENT = List.of(RequestBody.class, RequestPart.class,
			RequestParam.class, PathVariable.class, MatrixVariable.class, ModelAttribute.class);

	// Say how a parameter looks, not where it comes from
	private static final List<String> DESCRIPTIVE = List.of("jakarta.validation.", "jakarta.annotation.",
			"org.springframework.format.annotation.", "org.springframework.lang.", "org.springdoc.",
			"io.swagger.v3.oas.annotations.");

	private static final Set<Class<?>> CONTEXT = Set.of(Locale.class, TimeZone.class, java.time.ZoneId.class);

	private RequestArguments() {
	}

	static boolean isBound(MethodParameter parameter) {
		for (Class<? extends Annotation> content : CONTENT) {
			if (parameter.hasParameterAnnotation(content)) {
				return true;
			}
		}
		Class<?> type = parameter.getParameterType();
		if (HttpEntity.class.isAssignableFrom(type) || MultipartFile.class.isAssignableFrom(type)) {
			return true;
		}
		return isPlain(parameter) && !CONTEXT.contains(type) && (BeanUtils.isSimpleProperty(type) || isOwn(type));
	}

	// Without an annotation that has a meaning for a resolver, Spring binds it from
	// parameters
	private static boolean isPlain(MethodParameter parameter) {
		return Arrays.stream(parameter.getParameterAnnotations())
			.allMatch((annotation) -> annotation.annotationType().getSimpleName().startsWith("Valid")
					|| DESCRIPTIVE.stream().anyMatch(annotation.annotationType().getName()::startsWith));
	}

	private static boolean isOwn(Class<?> type) {
		String name = type.getName();
		return !type.isArray() && !name.startsWith("java.") && !name.startsWith("jakarta.")
				&& !name.startsWith("org.springframework.");
	}

	static @Nullable Object comparable(@Nullable Object argument, UnaryOperator<@Nullable Object> others) {
		if (argument instanceof HttpEntity<?> entity) {
			return comparable(entity.getBody(), others);
		}
		if (argument instanceof MultipartFile file) {
			try {
				return List.of(String.valueOf(file.getOriginalFilename()), file.getBytes());
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		if (argument instanceof Set<?> several) {
			return several.stream()
				.map((element) -> comparable(element, others))
				.collect(Collectors.toCollection(LinkedHashSet::new));
		}
		if (argument instanceof Collection<?> several) {
			return several.stream().map((element) -> comparable(element, others)).toList();
		}
		return (argument instanceof Object[] several)
				? Arrays.stream(several).map((element) -> comparable(element, others)).toList()
				: others.apply(argument);
	}

}
