/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.FallbackMethod;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedOperation;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The settings of {@link Idempotent} on one method.
 *
 * @param settings the operation
 * @param key reads the key of a call
 * @param payload reads what must be equal in a repetition
 * @param codec keeps the results
 * @param exceptions those that are a result as well, or {@code null} for none
 * @param exchange finds what a call answers
 * @param replaying finds what is done before a result is given again
 * @param recover gives a result that was not kept, or {@code null} if nothing does
 * @param form the form in which the method gives its result
 * @param description for the endpoint
 */
record IdempotencyOperation(IdempotencySettings settings, KeyReader key, PayloadReader payload, ResultCodec codec,
		@Nullable StoredExceptions exceptions, Supplier<@Nullable IdempotentExchange> exchange,
		Supplier<Runnable> replaying, @Nullable FallbackMethod recover, ResultForm form,
		GuardDescription description) implements GuardedOperation {

	@Override
	public List<GuardDescription> describe() {
		return List.of(this.description);
	}

	/**
	 * Reads the key of a call.
	 */
	@FunctionalInterface
	interface KeyReader {

		/**
		 * Returns the parts of the key, or {@code null} if there is none.
		 */
		@Nullable List<String> read(MethodInvocation invocation);

	}

	/**
	 * Reads the payload of a call.
	 */
	@FunctionalInterface
	interface PayloadReader {

		@Nullable Object read(MethodInvocation invocation);

	}

}
