// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheTags;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.cache.internal.engine.NewValue;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.GuardedOperation;
import io.ge.redis.core.invocation.MethodExpression;
import io.ge.redis.core.invocation.ReturnTypes;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.GenericTypeResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;

/**
 * A method with one of the cache annotations.
 */
sealed interface CacheGuardOperation extends GuardedOperation {

	/**
	 * Returns the descriptions, one for each annotation.
	 */
	List<Supplier<GuardDescription>> descriptions();

	@Override
	default List<GuardDescription> describe() {
		return descriptions().stream().map(Supplier::get).toList();
	}

	/**
	 * Returns the content of an {@code Optional}, and anything else as it is.
	 */
	private static @Nullable Object unwrapped(@Nullable Object result) {
		return (result instanceof Optional<?> wrapped) ? wrapped.orElse(null) : result;
	}

	/**
	 * One entry of a cache.
	 */
	record Target(String cache, MethodExpression key) {

		CacheKey key(MethodInvocation invocation) {
			return CacheKey.of(this.cache, this.key.evaluate(invocation), this.key);
		}

	}

	/**
	 * A reader.
	 *
	 * @param target the entry, or several whose ids the key evaluates to
	 * @param optional whether it returns an {@code Optional} of the value
	 * @param bulk how it takes several ids, or {@code null} if it reads one entry
	 */
	record Reader(Target target, @Nullable MethodExpression condition, @Nullable MethodExpression unless,
			@Nullable MethodExpression tags, CacheType type, boolean optional, @Nullable Bulk bulk, ResultForm form,
			List<Supplier<GuardDescription>> descriptions) implements CacheGuardOperation {

		boolean applies(MethodInvocation invocation) {
			return this.condition == null || this.condition.isTrue(invocation, null);
		}

		boolean isStorable(MethodInvocation invocation, @Nullable Object value) {
			return this.unless == null || !this.unless.isTrue(invocation, value);
		}

		@Nullable CacheTags tags(MethodInvocation invocation) {
			return (this.tags != null) ? CacheTags.of(this.tags.evaluate(invocation), this.tags) : null;
		}

		@Nullable Object unwrap(@Nullable Object result) {
			return this.optional ? unwrapped(result) : result;
		}

		@Nullable Object wrap(@Nullable Object value) {
			return this.optional ? Optional.ofNullable(value) : value;
		}

	}

	/**
	 * A writer through the cache, or one that invalidates.
	 */
	sealed interface Writer extends CacheGuardOperation {

		/**
		 * Returns the changes of a call; none where it is no writer.
		 */
		List<CacheWrite.Part> parts(CacheWriter writer, MethodInvocation invocation);

		TransactionBoundary boundary();

	}

	record Through(Target target, @Nullable MethodExpression value, @Nullable MethodExpression condition,
			@Nullable MethodExpression unless, @Nullable MethodExpression tags, TransactionBoundary boundary,
			ResultForm form, List<Supplier<GuardDescription>> descriptions) implements Writer {

		@Override
		public List<CacheWrite.Part> parts(CacheWriter writer, MethodInvocation invocation) {
			return (this.condition != null && !this.condition.isTrue(invocation, null)) ? List.of()
					: List.of(CacheWrite.Part.of(this.target.key(invocation),
							(result, stamp) -> published(writer, invocation, unwrapped(result), stamp)));
		}

		private @Nullable NewValue published(CacheWriter writer, MethodInvocation invocation, @Nullable Object result,
				long stamp) {
			if (this.unless != null && this.unless.isTrue(invocation, result)) {
				return null;
			}
			Object published = (this.value != null) ? unwrapped(this.value.evaluate(invocation, result)) : result;
			return writer.newValue(this.target.cache(), published, stamp,
					(this.tags != null) ? CacheTags.of(this.tags.evaluate(invocation, result), this.tags) : null);
		}

	}

	/**
	 * A writer to a cache that is written behind.
	 */
	record Behind(Target target, @Nullable MethodExpression value, ResultForm form,
			List<Supplier<GuardDescription>> descriptions) implements CacheGuardOperation {

		@Nullable Object value(MethodInvocation invocation, @Nullable Object result) {
			Object plain = unwrapped(result);
			return (this.value != null) ? unwrapped(this.value.evaluate(invocation, plain)) : plain;
		}

	}

	/**
	 * The invalidations of a method.
	 */
	record Invalidations(List<Invalidation> all, TransactionBoundary boundary, ResultForm form,
			List<Supplier<GuardDescription>> descriptions) implements Writer {

		@Override
		public List<CacheWrite.Part> parts(CacheWriter writer, MethodInvocation invocation) {
			List<CacheWrite.Part> parts = new ArrayList<>(this.all.size());
			for (Invalidation each : this.all) {
				if (each.condition == null || each.condition.isTrue(invocation, null)) {
					parts.add((each.key != null)
							? CacheWrite.Part.of(new Target(each.cache, each.key).key(invocation), null)
							: CacheWrite.Part.of(each.cache, (result) -> each.tags(invocation, result)));
				}
			}
			return parts;
		}

	}

	/**
	 * Some or all entries of a cache.
	 *
	 * @param key the key of one entry, or {@code null} for several
	 * @param tags the tags of those, or {@code null} for all
	 * @param condition when to invalidate, or {@code null} for always
	 */
	record Invalidation(String cache, @Nullable MethodExpression key, @Nullable MethodExpression tags,
			@Nullable MethodExpression condition) {

		CacheTags tags(MethodInvocation invocation, @Nullable Object result) {
			if (this.tags == null) {
				return CacheTags.ALL;
			}
			Object value = this.tags.evaluate(invocation, result);
			if (value == null) {
				throw new IllegalArgumentException(this.tags + " evaluated to null");
			}
			return CacheTags.of(value, this.tags);
		}

	}

	/**
	 * A method from several ids to their values: what it takes and returns.
	 *
	 * @param parameter the type of its parameter: a {@link Collection}, {@link List} or
	 * {@link Set}
	 */
	record Bulk(Class<?> parameter, Type valueType) {

		private static final Pattern VARIABLE = Pattern.compile("#\\w+");

		private static final Set<Class<?>> COLLECTIONS = Set.of(Iterable.class, Collection.class, List.class,
				Set.class);

		/**
		 * Inspects a method whose annotation names several keys.
		 * @throws io.ge.redis.GuardConfigurationException if it cannot be run for some of
		 * them
		 */
		static Bulk of(GuardedMethod method, String keys) {
			Class<?>[] parameters = method.method().getParameterTypes();
			int continuations = KotlinDetector.isSuspendingFunction(method.method()) ? 1 : 0;
			if (parameters.length != 1 + continuations || !COLLECTIONS.contains(parameters[0])
					|| !VARIABLE.matcher(keys).matches()) {
				throw method.problem("keys = \"" + keys + "\" needs a method that takes the ids and nothing else.",
						"Give it one parameter, a Collection, List or Set, and name that: keys = \"#ids\".");
			}
			Type ids = element(ResolvableType.forType(GenericTypeResolver
				.resolveType(method.method().getGenericParameterTypes()[0], method.targetClass())));
			if (ReturnTypes.form(method).kind() == ResultForm.Kind.MULTIPLE) {
				throw method.problem(
						"a method with keys returns a Map from the ids to their values, not several values one by one, "
								+ "as " + method.method().getReturnType().getSimpleName() + " does.",
						"Return one Map of them, such as by Mono<Map<" + ids.getTypeName() + ", ...>>.");
			}
			ResolvableType result = ResolvableType.forType(ReturnTypes.promised(method));
			boolean fits = result.toClass() == Map.class && result.hasGenerics() && element(result).equals(ids);
			if (!fits) {
				throw method.problem(
						"a method with keys returns a Map from the ids to their values, not " + result + ".",
						"Return Map<" + ids.getTypeName() + ", ...>, or a Mono or CompletableFuture of it.");
			}
			return new Bulk(parameters[0], bound(result.getGeneric(1)));
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

}
