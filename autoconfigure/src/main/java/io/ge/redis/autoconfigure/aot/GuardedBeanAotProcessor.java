// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure.aot;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.ge.redis.cache.WriteBehindStore;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.cache.annotation.AnnotationCacheOperationSource;
import org.springframework.cache.interceptor.CacheEvictOperation;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Looks at each bean when an application is processed ahead of time: at methods with our
 * annotations, or with Spring's for caches, whose values may go to ours, and at stores
 * that are written behind.
 */
final class GuardedBeanAotProcessor implements BeanRegistrationAotProcessor {

	private final AnnotationCacheOperationSource springCaches = new AnnotationCacheOperationSource(false);

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
		Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
		List<AnnotatedCall> calls = AnnotatedCall.of(type);
		List<Method> cached = springCached(type);
		Type stored = stored(bean.getBeanType());
		return (calls.isEmpty() && cached.isEmpty() && stored == null) ? null
				: new Contribution(bean, type, calls, cached, stored);
	}

	private List<Method> springCached(Class<?> type) {
		if (!this.springCaches.isCandidateClass(type)) {
			return List.of();
		}
		List<Method> cached = new ArrayList<>();
		for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type, ReflectionUtils.USER_DECLARED_METHODS)) {
			Collection<CacheOperation> operations = this.springCaches.getCacheOperations(method, type);
			if (operations != null && !operations.stream().allMatch(CacheEvictOperation.class::isInstance)) {
				cached.add(method);
			}
		}
		return cached;
	}

	// The type of the values that wait for the store
	private static @Nullable Type stored(ResolvableType bean) {
		ResolvableType value = bean.as(WriteBehindStore.class).getGeneric(0);
		return (value.resolve() != null) ? value.getType() : null;
	}

	private record Contribution(RegisteredBean bean, Class<?> type, List<AnnotatedCall> calls, List<Method> cached,
			@Nullable Type stored) implements BeanRegistrationAotContribution {

		@Override
		public void applyTo(GenerationContext context, BeanRegistrationCode code) {
			ReflectionHints reflection = context.getRuntimeHints().reflection();
			GuardedClassHints hints = new GuardedClassHints(this.bean.getBeanFactory(), reflection, this.type);
			this.calls.forEach(hints::register);
			this.cached.forEach(hints::registerValue);
			if (this.stored != null) {
				new BindingReflectionHintsRegistrar().registerReflectionHints(reflection, this.stored);
			}
		}

	}

}
