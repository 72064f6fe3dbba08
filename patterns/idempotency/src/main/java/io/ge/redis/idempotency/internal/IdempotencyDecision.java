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
	 * @param owner the call, unlike any other of all instances
	 * @param takenOver whether the effect of an earlier call is unknown
	 * @param budget the time that the call may still wait for Redis
	 */
	record Granted(IdempotencyRequest request, RedisIdempotencyKey key, String owner, long fence, boolean takenOver,
			CallBudget budget) implements IdempotencyDecision {

		public String id() {
			return this.key.digest();
		}

	}

	/**
	 * The end of a granted claim.
	 */
	sealed interface Ending permits Completed, Unknown, Release {

	}

	/**
	 * The effect of a call is final.
	 *
	 * @param result its result, or {@code null} if that was not kept
	 * @param fingerprint the fingerprint of another call that had the effect,
	 * {@code null} for its own
	 */
	record Completed(byte @Nullable [] result, RecordKind kind,
			byte @Nullable [] fingerprint) implements IdempotencyDecision, Ending {

		public Completed(byte @Nullable [] value) {
			this(value, RecordKind.VALUE, null);
		}

	}

	record Unknown() implements IdempotencyDecision, Ending {
	}

	record Release() implements Ending {
	}

	record InFlight(Duration leaseLeft) implements IdempotencyDecision {
	}

	record Mismatch() implements IdempotencyDecision {
	}

	record Unavailable(RedisUnavailableException reason) implements IdempotencyDecision {
	}

}
