// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.ReturnTypes;
import org.jspecify.annotations.Nullable;

import org.springframework.core.GenericTypeResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;

/**
 * A method from several ids to their values: what it takes and returns.
 *
 * @param parameter the type of its parameter: a {@link Collection}, {@link List} or
 * {@link Set}
 */
record CacheBulkMethod(Class<?> parameter, Type valueType) {

	private static final Pattern VARIABLE = Pattern.compile("#\\w+");

	private static final Set<Class<?>> COLLECTIONS = Set.of(Iterable.class, Collection.class, List.class, Set.class);

	/**
	 * Inspects a method whose annotation names several keys.
	 * @throws io.ge.redis.GuardConfigurationException if it cannot be run for some of
	 * them
	 */
	static CacheBulkMethod of(GuardedMethod method, String keys) {
		Class<?>[] parameters = method.method().getParameterTypes();
		int continuations = KotlinDetector.isSuspendingFunction(method.method()) ? 1 : 0;
		if (parameters.length != 1 + continuations || !COLLECTIONS.contains(parameters[0])
				|| !VARIABLE.matcher(keys).matches()) {
			throw method.problem("keys = \"" + keys + "\" needs a method that takes the ids and nothing else.",
					"Give it one parameter, a Collection, List or Set, and name that: keys = \"#ids\".");
		}
		Type ids = element(ResolvableType.forType(
				GenericTypeResolver.resolveType(method.method().getGenericParameterTypes()[0], method.targetClass())));
		if (ReturnTypes.form(method).kind() == ResultForm.Kind.MULTIPLE) {
			throw method.problem(
					"a method with keys returns a Map from the ids to their values, not several values one by one, "
							+ "as " + method.method().getReturnType().getSimpleName() + " does.",
					"Return one Map of them, such as by Mono<Map<" + ids.getTypeName() + ", ...>>.");
		}
		ResolvableType result = ResolvableType.forType(ReturnTypes.promised(method));
		boolean fits = result.toClass() == Map.class && result.hasGenerics() && element(result).equals(ids);
		if (!fits) {
			throw method.problem("a method with keys returns a Map from the ids to their values, not " + result + ".",
					"Return Map<" + ids.getTypeName() + ", ...>, or a Mono or CompletableFuture of it.");
		}
		return new CacheBulkMethod(parameters[0], bound(result.getGeneric(1)));
	}

	private static Type element(ResolvableType type) {
		return bound(type.getGeneric(0));
	}

	// Kotlin's compiler writes wildcards where the source has none
	private static Type bound(ResolvableType argument) {
		return (argument.getType() instanceof WildcardType wildcard) ? wildcard.getUpperBounds()[0]
				: argument.getType();
	}

	@Nullable Object[] arguments(@Nullable Object[] all, List<?> ids) {
		@Nullable Object[] some = all.clone();
		some[0] = (this.parameter == Set.class) ? new LinkedHashSet<>(ids) : new ArrayList<>(ids);
		return some;
	}

}
