/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.guard;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * Follows a call that proceeds. Nothing here blocks.
 */
public interface GuardScope {

	/** Nothing to wait for. */
	CompletionStage<?> DONE = CompletableFuture.completedStage(null);

	/**
	 * Completes the call, once: its method has returned or thrown.
	 * @param value the value, if there is one and not several
	 * @param failure the exception of the method, an
	 * {@link io.ge.redis.core.call.AbandonedException} for an abandoned call, or
	 * {@code null}
	 * @return the result is passed on when it completes
	 */
	default CompletionStage<?> complete(@Nullable Object value, @Nullable Throwable failure) {
		return DONE;
	}

	/**
	 * Compensates the admission of a call that was abandoned before its method began.
	 */
	default void compensate() {
	}

}
