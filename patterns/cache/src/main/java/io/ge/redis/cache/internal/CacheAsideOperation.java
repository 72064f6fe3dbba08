// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheTags;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedOperation;
import io.ge.redis.core.invocation.MethodExpression;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A reader.
 */
record CacheAsideOperation(String cache, MethodExpression key, @Nullable MethodExpression condition,
		@Nullable MethodExpression unless, @Nullable MethodExpression tags, CacheType type, boolean optional,
		@Nullable CacheBulkMethod bulk, ResultForm form,
		Supplier<GuardDescription> description) implements GuardedOperation {

	boolean applies(MethodInvocation invocation) {
		return this.condition == null || this.condition.isTrue(invocation, null);
	}

	CacheKey key(MethodInvocation invocation) {
		return CacheKey.of(this.cache, this.key.evaluate(invocation), this.key);
	}

	boolean isStorable(MethodInvocation invocation, @Nullable Object value) {
		return this.unless == null || !this.unless.isTrue(invocation, value);
	}

	@Nullable CacheTags tags(MethodInvocation invocation) {
		return (this.tags != null) ? CacheTags.of(this.tags.evaluate(invocation), this.tags) : null;
	}

	@Nullable Object unwrap(@Nullable Object result) {
		return this.optional ? CacheAttributes.unwrapped(result) : result;
	}

	@Nullable Object wrap(@Nullable Object value) {
		return this.optional ? Optional.ofNullable(value) : value;
	}

	@Override
	public List<GuardDescription> describe() {
		return List.of(this.description.get());
	}

}
