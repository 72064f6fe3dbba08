// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * A call of this instance, from before its claim until Redis knows its end.
 *
 * @param ended completes when the call has ended, if it was granted: with the decision on
 * a repetition, or {@code null} if a repetition has to ask Redis
 */
record LocalCall(byte[] fingerprint, CompletableFuture<IdempotencyDecision> claimed,
		CompletableFuture<@Nullable IdempotencyDecision> ended) {

	LocalCall(byte[] fingerprint) {
		this(fingerprint, new CompletableFuture<>(), new CompletableFuture<>());
	}

	boolean isOf(IdempotencyDecision.Granted claim) {
		return claim == decision();
	}

	boolean isGranted() {
		return decision() instanceof IdempotencyDecision.Granted;
	}

	private @Nullable IdempotencyDecision decision() {
		return (this.claimed.isDone() && !this.claimed.isCompletedExceptionally()) ? this.claimed.join() : null;
	}

}
