/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.guard;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.CacheTags;
import io.ge.redis.cache.write.TransactionBoundary;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedOperation;
import io.ge.redis.core.invocation.MethodExpression;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A writer.
 */
record CacheWriteThroughOperation(String cache, MethodExpression key, @Nullable MethodExpression value,
		@Nullable MethodExpression condition, @Nullable MethodExpression unless, @Nullable MethodExpression tags,
		TransactionBoundary boundary, ResultForm form,
		Supplier<GuardDescription> description) implements GuardedOperation {

	boolean applies(MethodInvocation invocation) {
		return this.condition == null || this.condition.isTrue(invocation, null);
	}

	CacheKey key(MethodInvocation invocation) {
		return CacheKey.of(this.cache, this.key.evaluate(invocation), this.key);
	}

	boolean isPublished(MethodInvocation invocation, @Nullable Object result) {
		return this.unless == null || !this.unless.isTrue(invocation, unwrap(result));
	}

	@Nullable Object value(MethodInvocation invocation, @Nullable Object result) {
		Object plain = unwrap(result);
		return (this.value != null) ? unwrap(this.value.evaluate(invocation, plain)) : plain;
	}

	@Nullable CacheTags tags(MethodInvocation invocation, @Nullable Object result) {
		return (this.tags != null) ? CacheTags.of(this.tags.evaluate(invocation, unwrap(result)), this.tags) : null;
	}

	private static @Nullable Object unwrap(@Nullable Object result) {
		return (result instanceof Optional<?> wrapped) ? wrapped.orElse(null) : result;
	}

	@Override
	public List<GuardDescription> describe() {
		return List.of(this.description.get());
	}

}
