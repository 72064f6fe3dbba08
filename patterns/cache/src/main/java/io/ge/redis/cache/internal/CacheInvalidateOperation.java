// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.cache.internal.access.CacheWriter;
import io.ge.redis.cache.internal.access.TransactionBoundary;
import io.ge.redis.cache.internal.access.WritePart;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheTags;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.MethodExpression;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The invalidations of a method.
 */
record CacheInvalidateOperation(List<Target> targets, TransactionBoundary boundary,
		ResultForm form) implements CacheWriterGuard.Writing {

	@Override
	public List<WritePart> parts(CacheWriter writer, MethodInvocation invocation) {
		List<WritePart> parts = new ArrayList<>(this.targets.size());
		for (Target target : this.targets) {
			if (target.condition == null || target.condition.isTrue(invocation, null)) {
				parts.add((target.key != null)
						? WritePart.of(CacheKey.of(target.cache, target.key.evaluate(invocation), target.key), null)
						: WritePart.of(target.cache, (result) -> target.tags(invocation, result)));
			}
		}
		return parts;
	}

	@Override
	public List<GuardDescription> describe() {
		return this.targets.stream().map((target) -> target.description().get()).toList();
	}

	/**
	 * Some or all entries of a cache.
	 *
	 * @param key the key of one entry, or {@code null} for several
	 * @param tags the tags of those, or {@code null} for all
	 * @param condition when to invalidate, or {@code null} for always
	 */
	record Target(String cache, @Nullable MethodExpression key, @Nullable MethodExpression tags,
			@Nullable MethodExpression condition, Supplier<GuardDescription> description) {

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
