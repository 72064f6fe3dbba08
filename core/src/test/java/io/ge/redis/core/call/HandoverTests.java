// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who goes on with an answer.
 */
class HandoverTests {

	@Test
	void answerIsHandedOverAlsoWhereThereAreNoMoreThreads() throws Exception {
		Handover handover = new Handover((task) -> {
			throw new OutOfMemoryError("unable to create native thread");
		});
		CompletableFuture<String> next = new CompletableFuture<>();
		handover.execute(() -> next.complete("answered " + Thread.currentThread().getName()));
		assertThat(next.get(30, TimeUnit.SECONDS)).startsWith("answered ")
			.doesNotContain(Thread.currentThread().getName());
		handover.close();
	}

}
