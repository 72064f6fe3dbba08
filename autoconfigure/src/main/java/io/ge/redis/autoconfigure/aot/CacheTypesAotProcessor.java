// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure.aot;

import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;

import io.ge.redis.cache.CacheProperties;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.type.TypeFactory;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Hints for the types that {@code ge.redis.cache.caches.<name>.type} names when an
 * application is processed ahead of time.
 */
final class CacheTypesAotProcessor implements BeanFactoryInitializationAotProcessor {

	@Override
	public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
			ConfigurableListableBeanFactory beanFactory) {
		CacheProperties properties = beanFactory.getBeanProvider(CacheProperties.class).getIfAvailable();
		if (properties == null) {
			return null;
		}
		Set<Class<?>> types = new LinkedHashSet<>();
		properties.caches()
			.values()
			.stream()
			.map(CacheProperties.Cache::type)
			.filter(Objects::nonNull)
			.forEach((name) -> add(TypeFactory.createDefaultInstance().constructFromCanonical(name.strip()), types));
		return types.isEmpty() ? null : (context, code) -> new BindingReflectionHintsRegistrar()
			.registerReflectionHints(context.getRuntimeHints().reflection(), types.toArray(Class<?>[]::new));
	}

	private static void add(JavaType type, Set<Class<?>> types) {
		types.add(type.getRawClass());
		for (int i = 0; i < type.containedTypeCount(); i++) {
			add(type.containedType(i), types);
		}
	}

}
