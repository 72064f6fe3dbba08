/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ParameterizedTypeReference;

/**
 * Runs every action: see {@link Idempotency#unguarded()}.
 */
final class UnguardedIdempotency implements Idempotency {

	@Override
	public IdempotencySettings settings(String name) {
		return IdempotencySettings.of(name);
	}

	@Override
	public <T extends @Nullable Object> T execute(IdempotencySettings settings, Object key, @Nullable Object payload,
			ParameterizedTypeReference<T> type, Supplier<T> action) {
		return action.get();
	}

	@Override
	public <T extends @Nullable Object> CompletionStage<T> executeAsync(IdempotencySettings settings, Object key,
			@Nullable Object payload, ParameterizedTypeReference<T> type,
			Supplier<? extends CompletionStage<T>> action) {
		try {
			return action.get();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedStage(ex);
		}
	}

}
