// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.cache.internal.access.CacheWriter;
import io.ge.redis.cache.internal.access.TransactionBoundary;
import io.ge.redis.cache.internal.access.WritePart;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheTags;
import io.ge.redis.cache.internal.engine.NewValue;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.MethodExpression;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A writer.
 */
record CacheWriteThroughOperation(String cache, MethodExpression key, @Nullable MethodExpression value,
		@Nullable MethodExpression condition, @Nullable MethodExpression unless, @Nullable MethodExpression tags,
		TransactionBoundary boundary, ResultForm form,
		Supplier<GuardDescription> description) implements CacheWriterGuard.Writing {

	@Override
	public List<WritePart> parts(CacheWriter writer, MethodInvocation invocation) {
		if (this.condition != null && !this.condition.isTrue(invocation, null)) {
			return List.of();
		}
		CacheKey entry = CacheKey.of(this.cache, this.key.evaluate(invocation), this.key);
		return List.of(WritePart.of(entry,
				(result, stamp) -> published(writer, invocation, CacheAttributes.unwrapped(result), stamp)));
	}

	private @Nullable NewValue published(CacheWriter writer, MethodInvocation invocation, @Nullable Object result,
			long stamp) {
		if (this.unless != null && this.unless.isTrue(invocation, result)) {
			return null;
		}
		Object published = (this.value != null) ? CacheAttributes.unwrapped(this.value.evaluate(invocation, result))
				: result;
		return writer.newValue(this.cache, published, stamp,
				(this.tags != null) ? CacheTags.of(this.tags.evaluate(invocation, result), this.tags) : null);
	}

	@Override
	public List<GuardDescription> describe() {
		return List.of(this.description.get());
	}

}
