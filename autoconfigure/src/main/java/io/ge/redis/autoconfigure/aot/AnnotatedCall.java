// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure.aot;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.ge.redis.autoconfigure.PatternUse;
import io.ge.redis.broadcast.RedisBroadcastListener;
import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheWriteBehind;
import io.ge.redis.cache.CacheWriteThrough;
import io.ge.redis.core.invocation.OperationSource;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.queue.RedisJob;
import io.ge.redis.stream.RedisStreamListener;

import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ReflectionUtils;

/**
 * An annotation of ours and a method that it means.
 */
record AnnotatedCall(MergedAnnotation<?> annotation, Method method) {

	static final Set<Class<? extends Annotation>> ANNOTATIONS = PatternUse.ANNOTATIONS.values()
		.stream()
		.flatMap(List::stream)
		.collect(Collectors.toUnmodifiableSet());

	/** Annotations whose method is called with values read from JSON. */
	private static final Set<Class<? extends Annotation>> LISTENING = Set.of(RedisBroadcastListener.class,
			RedisJob.class, RedisStreamListener.class);

	/** Attributes with an expression over the arguments, and perhaps the result. */
	static final Set<String> EXPRESSIONS = Set.of("condition", "cost", "fingerprint", "key", "keys", "subject", "tags",
			"token", "unless", "value");

	/** Attributes with the name of a method that replaces this one. */
	static final Set<String> ALTERNATIVES = Set.of("fallback", "onGap", "recover");

	private static final Set<Class<? extends Annotation>> KEEPING_RESULTS = Set.of(CacheAside.class,
			CacheWriteBehind.class, CacheWriteThrough.class, Idempotent.class, RedisJob.class);

	static List<AnnotatedCall> of(Class<?> type) {
		List<Class<? extends Annotation>> candidates = ANNOTATIONS.stream()
			.filter((annotation) -> AnnotationUtils.isCandidateClass(type, annotation))
			.toList();
		if (candidates.isEmpty()) {
			return List.of();
		}
		List<AnnotatedCall> calls = new ArrayList<>();
		for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type, ReflectionUtils.USER_DECLARED_METHODS)) {
			for (Class<? extends Annotation> annotation : candidates) {
				OperationSource.find(annotation, method, type)
					.forEach((found) -> calls.add(new AnnotatedCall(MergedAnnotation.from(found), method)));
			}
		}
		return calls;
	}

	List<String> texts(Set<String> attributes) {
		return attributes.stream()
			.flatMap((attribute) -> this.annotation.getValue(attribute, String.class).stream())
			.filter((text) -> !text.isBlank())
			.toList();
	}

	boolean keepsResult() {
		return KEEPING_RESULTS.contains(this.annotation.getType());
	}

	/**
	 * Returns whether arguments are JSON: to be compared, as a new value, or as a
	 * message.
	 */
	boolean hasJsonArguments() {
		return this.annotation.getType() == Idempotent.class || LISTENING.contains(this.annotation.getType())
				|| (keepsResult() && !this.annotation.getValue("value", String.class).orElse("").isEmpty());
	}

	Class<?>[] exceptions() {
		return this.annotation.getValue("storeExceptions", Class[].class).orElse(new Class<?>[0]);
	}

}
