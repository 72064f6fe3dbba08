// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.List;
import java.util.function.Function;

import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.FallbackMethod;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedOperation;
import io.ge.redis.idempotency.IdempotencySettings;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.spi.IdempotencyKeySource;
import io.ge.redis.idempotency.spi.ResultCodec;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The settings of {@link Idempotent} on one method.
 *
 * @param key reads the parts of the key of a call, {@code null} if there is none
 * @param exceptions the exceptions that count as a result, or {@code null} for none
 * @param calls the calls of the method, if they carry keys of their own
 * @param recover gives a result that was not kept, or {@code null} if nothing does
 */
record IdempotencyOperation(IdempotencySettings settings, Function<MethodInvocation, @Nullable List<String>> key,
		Function<MethodInvocation, @Nullable Object> payload, ResultCodec codec, @Nullable StoredExceptions exceptions,
		IdempotencyKeySource.@Nullable Calls calls, @Nullable FallbackMethod recover, ResultForm form,
		GuardDescription description) implements GuardedOperation {

	@Override
	public List<GuardDescription> describe() {
		return List.of(this.description);
	}

}
