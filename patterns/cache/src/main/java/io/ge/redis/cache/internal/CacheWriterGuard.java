// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.cache.internal.access.CacheWriter;
import io.ge.redis.cache.internal.access.TransactionBoundary;
import io.ge.redis.cache.internal.access.WritePart;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.guard.Guard;
import io.ge.redis.core.invocation.GuardedOperation;
import org.aopalliance.intercept.MethodInvocation;

/**
 * Lets methods run, and publishes or invalidates what they have changed.
 */
final class CacheWriterGuard<O extends CacheWriterGuard.Writing> implements Guard<O> {

	private final Supplier<CacheWriter> writer;

	CacheWriterGuard(Supplier<CacheWriter> writer) {
		this.writer = writer;
	}

	@Override
	public GuardedCall<?> call(O operation, MethodInvocation invocation) {
		CacheWriter target = this.writer.get();
		return target.call(() -> operation.parts(target, invocation), operation.boundary(), operation.form(),
				() -> Guard.proceed(operation, invocation));
	}

	/**
	 * An operation that changes entries.
	 */
	interface Writing extends GuardedOperation {

		/**
		 * Returns the changes of a call; none where it is no writer.
		 */
		List<WritePart> parts(CacheWriter writer, MethodInvocation invocation);

		TransactionBoundary boundary();

	}

}
