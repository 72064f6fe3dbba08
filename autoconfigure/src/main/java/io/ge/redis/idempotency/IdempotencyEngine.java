/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.ge.redis.core.outage.OutageCause;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;

/**
 * Claims keys and ends claims, asynchronously and without blocking. A claim that was
 * granted is prolonged until it is ended.
 */
final class IdempotencyEngine {

	private static final Set<OutageCause> REFUSALS = EnumSet.of(OutageCause.OOM, OutageCause.NOPERM,
			OutageCause.MISCONF, OutageCause.ERROR);

	private final RedisIdempotency redis;

	private final Heartbeats heartbeats;

	IdempotencyEngine(RedisIdempotency redis, Heartbeats heartbeats) {
		this.redis = redis;
		this.heartbeats = heartbeats;
	}

	/**
	 * Claims the key of a call.
	 * @return completes with what Redis says, or with {@link RedisUnavailableException}
	 */
	CompletionStage<Claim> claim(IdempotencyRequest request) {
		return this.redis.claim(request).thenApply((claim) -> {
			if (claim instanceof Claim.Granted granted) {
				this.heartbeats.add(granted);
			}
			return claim;
		});
	}

	/**
	 * Ends a claim. The call has had its effect or not, so a failure of Redis is not one
	 * of the call: the ending is then sent again until Redis has it.
	 * @return completes with whether the claim still stood, as far as is known
	 */
	CompletionStage<Boolean> end(Claim.Granted claim, Ending ending) {
		this.heartbeats.remove(claim);
		return this.redis.end(claim, ending).exceptionally((failure) -> {
			boolean closing = ending instanceof Ending.Complete && isRefused(failure);
			this.redis.endLater(claim, closing ? new Ending.Unknown() : ending);
			return true;
		});
	}

	/**
	 * Prolongs no more leases.
	 */
	void stop() {
		this.heartbeats.stop();
	}

	/**
	 * Whether the server answers but does not take the write, such as one of version 6.2
	 * without memory. Closing a key takes no memory, and keeps it from being claimed
	 * again.
	 */
	private static boolean isRefused(Throwable failure) {
		return Waiting.cause(failure) instanceof RedisUnavailableException unavailable
				&& REFUSALS.contains(unavailable.reason());
	}

}
