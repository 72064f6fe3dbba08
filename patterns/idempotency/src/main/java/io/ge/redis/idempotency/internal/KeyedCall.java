// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import io.ge.redis.idempotency.ResponseLostException;
import io.ge.redis.idempotency.spi.IdempotentExchange;
import io.ge.redis.idempotency.spi.ResultCodec;
import org.jspecify.annotations.Nullable;

/**
 * A call with a key, the first one or a repetition, and the means to answer it.
 *
 * @param exchange the exchange that the call answers, if it is captured as a whole, else
 * {@code null}
 * @param recovery returns a result that was not kept, or {@code null} if there is none
 */
record KeyedCall(IdempotencyRequest request, ResultCodec codec, @Nullable StoredExceptions exceptions,
		@Nullable IdempotentExchange exchange, Runnable replaying, @Nullable Recovery recovery) {

	@FunctionalInterface
	interface Recovery {

		@Nullable Object recover(ResponseLostException lost) throws Throwable;

	}

}
