/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * A call of this instance, from before its claim until Redis knows its end. Repetitions
 * meanwhile are told by it and need not ask Redis.
 */
final class LocalCall {

	private final byte[] fingerprint;

	private final CompletableFuture<Claim> claimed = new CompletableFuture<>();

	private final CompletableFuture<End> ended = new CompletableFuture<>();

	LocalCall(byte[] fingerprint) {
		this.fingerprint = fingerprint;
	}

	byte[] fingerprint() {
		return this.fingerprint;
	}

	/**
	 * Completes with what Redis says to the call.
	 */
	CompletableFuture<Claim> claimed() {
		return this.claimed;
	}

	/**
	 * Completes when the call has ended, if it was granted.
	 */
	CompletableFuture<End> ended() {
		return this.ended;
	}

	boolean isOf(Claim.Granted claim) {
		return claim == known();
	}

	/**
	 * Whether it may run, or does.
	 */
	boolean isGranted() {
		return known() instanceof Claim.Granted;
	}

	private @Nullable Claim known() {
		return (this.claimed.isDone() && !this.claimed.isCompletedExceptionally()) ? this.claimed.join() : null;
	}

	/**
	 * How a call has ended.
	 *
	 * @param answer what a repetition is told, or {@code null} if it has to ask Redis
	 */
	record End(@Nullable Claim answer) {
	}

}
