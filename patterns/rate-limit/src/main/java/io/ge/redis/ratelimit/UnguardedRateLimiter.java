/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * Allows everything: see {@link RateLimiter#unguarded()}.
 */
final class UnguardedRateLimiter implements RateLimiter {

	private static final RateLimitDecision ALLOWED = new RateLimitDecision.Allowed(List.of(), () -> 0);

	@Override
	public RateLimitDecision tryAcquire(RateLimitRequest request) {
		return ALLOWED;
	}

	@Override
	public RateLimitDecision tryAcquire(List<RateLimit> limits, Object key) {
		return ALLOWED;
	}

	@Override
	public CompletionStage<RateLimitDecision> tryAcquireAsync(RateLimitRequest request) {
		return CompletableFuture.completedStage(ALLOWED);
	}

	@Override
	public CompletionStage<RateLimitDecision> tryAcquireAsync(List<RateLimit> limits, Object key) {
		return CompletableFuture.completedStage(ALLOWED);
	}

	@Override
	public void refund(RateLimitDecision.Allowed allowed) {
		// nothing was taken
	}

	@Override
	public void reset(String name, Object key) {
		// nothing is counted
	}

	@Override
	public CompletionStage<@Nullable Void> resetAsync(String name, Object key) {
		return CompletableFuture.completedStage(null);
	}

}
