// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.Annotation;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

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
 * Arguments of a handler that are bound from the content of the request by an annotation
 * or by their type. Others are bound from parameters, which are compared anyway, or
 * differ in a repetition.
 */
final class RequestArguments {

	private static final List<Class<? extends Annotation>> CONTENT = List.of(RequestBody.class, RequestPart.class,
			RequestParam.class, PathVariable.class, MatrixVariable.class, ModelAttribute.class);

	private RequestArguments() {
	}

	static boolean isBound(MethodParameter parameter) {
		for (Class<? extends Annotation> content : CONTENT) {
			if (parameter.hasParameterAnnotation(content)) {
				return true;
			}
		}
		Class<?> type = parameter.getParameterType();
		return HttpEntity.class.isAssignableFrom(type) || MultipartFile.class.isAssignableFrom(type);
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
