// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.time.Duration;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * The decision on a call that claims its key.
 */
sealed interface IdempotencyDecision {

	/**
	 * The call may run.
	 *
	 * @param takenOver whether the effect of an earlier call is unknown
	 * @param budget the time that the call may still wait for Redis
	 */
	record Granted(IdempotencyRequest request, RedisIdempotency.Handle handle, boolean takenOver,
			CallBudget budget) implements IdempotencyDecision {

		public long fence() {
			return this.handle.fence();
		}

		public String id() {
			return this.handle.key().digest();
		}

	}

	/**
	 * An earlier call has ended.
	 *
	 * @param result its result, or {@code null} if that was not kept
	 */
	record Completed(byte @Nullable [] result, RecordKind kind) implements IdempotencyDecision {

		public Completed(byte @Nullable [] value) {
			this(value, RecordKind.VALUE);
		}

	}

	record InFlight(Duration leaseLeft) implements IdempotencyDecision {
	}

	record Mismatch() implements IdempotencyDecision {
	}

	record Unknown() implements IdempotencyDecision {
	}

	record Unavailable(RedisUnavailableException reason) implements IdempotencyDecision {
	}

}
