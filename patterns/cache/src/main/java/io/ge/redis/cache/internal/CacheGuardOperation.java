// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheTags;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.cache.internal.engine.NewValue;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedOperation;
import io.ge.redis.core.invocation.MethodExpression;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

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
			@Nullable MethodExpression tags, CacheType type, boolean optional, @Nullable CacheBulkMethod bulk,
			ResultForm form, List<Supplier<GuardDescription>> descriptions) implements CacheGuardOperation {

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
		List<WritePart> parts(CacheWriter writer, MethodInvocation invocation);

		TransactionBoundary boundary();

	}

	record Through(Target target, @Nullable MethodExpression value, @Nullable MethodExpression condition,
			@Nullable MethodExpression unless, @Nullable MethodExpression tags, TransactionBoundary boundary,
			ResultForm form, List<Supplier<GuardDescription>> descriptions) implements Writer {

		@Override
		public List<WritePart> parts(CacheWriter writer, MethodInvocation invocation) {
			return (this.condition != null && !this.condition.isTrue(invocation, null)) ? List.of()
					: List.of(WritePart.of(this.target.key(invocation),
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
		public List<WritePart> parts(CacheWriter writer, MethodInvocation invocation) {
			List<WritePart> parts = new ArrayList<>(this.all.size());
			for (Invalidation each : this.all) {
				if (each.condition == null || each.condition.isTrue(invocation, null)) {
					parts.add((each.key != null) ? WritePart.of(new Target(each.cache, each.key).key(invocation), null)
							: WritePart.of(each.cache, (result) -> each.tags(invocation, result)));
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

}
