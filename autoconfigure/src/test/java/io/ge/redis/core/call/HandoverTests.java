/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who goes on with an answer.
 */
class HandoverTests {

	@Test
	void answerIsHandedOverAlsoWhereThereAreNoMoreThreads() throws Exception {
		Handover handover = new Handover(UnaryOperator.identity(), 10, (task) -> {
			throw new OutOfMemoryError("unable to create native thread");
		});
		CompletableFuture<String> answer = new CompletableFuture<>();
		CompletableFuture<String> next = handover.then(answer,
				(value) -> CompletableFuture.completedFuture(value + " " + Thread.currentThread().getName()));
		answer.complete("answered");
		assertThat(next.get(30, TimeUnit.SECONDS)).startsWith("answered ")
			.doesNotContain(Thread.currentThread().getName());
		handover.close();
	}

}
