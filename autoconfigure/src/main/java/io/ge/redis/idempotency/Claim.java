/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.time.Duration;

import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.RedisUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * The answer of Redis to a call.
 */
sealed interface Claim {

	/**
	 * The call may run.
	 *
	 * @param request the call
	 * @param handle proves the claim to Redis
	 * @param takenOver whether a call before may have had its effect and nobody knows
	 * @param budget what the call may still wait for Redis
	 */
	record Granted(IdempotencyRequest request, RedisIdempotency.Handle handle, boolean takenOver,
			CallBudget budget) implements Claim {
	}

	/**
	 * An earlier call has ended.
	 *
	 * @param result what it ended with, or {@code null} if that was not kept
	 * @param kind what that is
	 */
	record Completed(byte @Nullable [] result, RecordKind kind) implements Claim {

		Completed(byte @Nullable [] value) {
			this(value, RecordKind.VALUE);
		}

	}

	/**
	 * An earlier call still runs.
	 *
	 * @param leaseLeft what is left of its lease
	 */
	record InFlight(Duration leaseLeft) implements Claim {
	}

	/**
	 * The key was used with another payload.
	 */
	record Mismatch() implements Claim {
	}

	/**
	 * Nobody knows what an earlier call has changed.
	 */
	record Unknown() implements Claim {
	}

	/**
	 * It was not asked, since the call has no key and needs none.
	 */
	record Unasked() implements Claim {
	}

	/**
	 * It says nothing.
	 *
	 * @param reason why
	 */
	record Away(RedisUnavailableException reason) implements Claim {
	}

}
