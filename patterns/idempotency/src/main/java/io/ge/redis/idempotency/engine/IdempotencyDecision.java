/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency.engine;

import java.time.Duration;

import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.idempotency.record.RecordKind;
import org.jspecify.annotations.Nullable;

/**
 * The decision on a call that claims its key.
 */
public sealed interface IdempotencyDecision {

	/**
	 * The call may run.
	 *
	 * @param request the call
	 * @param handle proves the claim to Redis
	 * @param takenOver whether a call before may have had its effect and nobody knows
	 * @param budget what the call may still wait for Redis
	 */
	record Granted(IdempotencyRequest request, RedisIdempotency.Handle handle, boolean takenOver,
			CallBudget budget) implements IdempotencyDecision {

		/**
		 * Returns the fence: higher than that of every claim of the key before.
		 */
		public long fence() {
			return this.handle.fence();
		}

		/**
		 * Returns the id of the call's operation, scope and key outside of Redis.
		 */
		public String id() {
			return this.handle.key().digest();
		}

	}

	/**
	 * An earlier call has ended.
	 *
	 * @param result what it ended with, or {@code null} if that was not kept
	 * @param kind what that is
	 */
	record Completed(byte @Nullable [] result, RecordKind kind) implements IdempotencyDecision {

		public Completed(byte @Nullable [] value) {
			this(value, RecordKind.VALUE);
		}

	}

	/**
	 * An earlier call still runs.
	 *
	 * @param leaseLeft what is left of its lease
	 */
	record InFlight(Duration leaseLeft) implements IdempotencyDecision {
	}

	/**
	 * The key was used with another payload.
	 */
	record Mismatch() implements IdempotencyDecision {
	}

	/**
	 * Nobody knows what an earlier call has changed.
	 */
	record Unknown() implements IdempotencyDecision {
	}

	/**
	 * Redis is unavailable, so nothing is known.
	 *
	 * @param reason why
	 */
	record Unavailable(RedisUnavailableException reason) implements IdempotencyDecision {
	}

}
