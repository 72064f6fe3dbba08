/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.time.Duration;

import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * What Redis says to a call.
 */
sealed interface Claim {

	/**
	 * The call may run.
	 *
	 * @param request the call
	 * @param handle proves the claim to Redis
	 * @param budget what the call may still wait for Redis
	 */
	record Granted(IdempotencyRequest request, RedisIdempotency.Handle handle, CallBudget budget) implements Claim {
	}

	/**
	 * An earlier call has ended.
	 *
	 * @param result what it returned, or {@code null} if that was not kept
	 */
	record Completed(byte @Nullable [] result) implements Claim {
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

}
