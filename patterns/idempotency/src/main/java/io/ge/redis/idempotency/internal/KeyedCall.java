// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import io.ge.redis.idempotency.ResponseLostException;
import io.ge.redis.idempotency.spi.IdempotentExchange;
import io.ge.redis.idempotency.spi.ResultCodec;
import org.jspecify.annotations.Nullable;

/**
 * A call with a key, and how it is answered, be it the first one or a repetition.
 *
 * @param exchange what the call answers, if that is seen as a whole, else {@code null}
 * @param recovery gives one that was not kept, or {@code null} if nothing does
 */
record KeyedCall(IdempotencyRequest request, ResultCodec codec, @Nullable StoredExceptions exceptions,
		@Nullable IdempotentExchange exchange, Runnable replaying, @Nullable Recovery recovery) {

	@FunctionalInterface
	interface Recovery {

		@Nullable Object recover(ResponseLostException lost) throws Throwable;

	}

}
