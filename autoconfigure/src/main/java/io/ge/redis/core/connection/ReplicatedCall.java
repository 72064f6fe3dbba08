/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.connection;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * A script on its way over a {@link ReplicatedConnection}.
 *
 * @param sha the SHA-1 of the script
 * @param text the script
 * @param known whether the server may know the script by its SHA-1, else it is taught
 * @param keys the keys, all in one slot
 * @param arguments the arguments
 * @param reply completed as that of {@link GuardConnection#evalSha}, before replicas have
 * acknowledged anything
 */
public record ReplicatedCall(String sha, byte[] text, boolean known, byte[][] keys, byte[][] arguments,
		CompletableFuture<List<?>> reply) {

	void complete(@Nullable List<?> answer, @Nullable Throwable failure) {
		if (failure != null) {
			this.reply.completeExceptionally(failure);
		}
		else {
			this.reply.complete((answer != null) ? answer : List.of());
		}
	}

}
