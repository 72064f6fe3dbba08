/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist.engine;

import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link IdFilter}.
 */
class IdFilterTests {

	private static final int NUMBER = 500_000;

	@Test
	void missesNothingAndTakesOneInEightThousandForItsOwnWhenFull() {
		IdFilter filter = new IdFilter(NUMBER);
		Random random = new Random(1);
		for (int i = 0; i < NUMBER; i++) {
			assertThat(filter.isFull()).isFalse();
			filter.add(random.nextLong(), 0, 0, 0);
		}
		Random again = new Random(1);
		for (int i = 0; i < NUMBER; i++) {
			assertThat(filter.mayHold(again.nextLong())).isTrue();
		}
		int wrong = 0;
		for (int i = 0; i < 1_000_000; i++) {
			wrong += filter.mayHold(random.nextLong()) ? 1 : 0;
		}
		// 89 are to be expected, and 125 once in ten thousand seeds
		assertThat(wrong).isBetween(1, 125);
		assertThat(filter.bytes()).isLessThanOrEqualTo(NUMBER * 5 / 2 + Long.BYTES);
	}

	@Test
	void tellsIdsApartThatAreAlike() {
		IdFilter filter = new IdFilter(NUMBER);
		for (int i = 0; i < NUMBER; i++) {
			filter.add(RowName.fast(RowKind.TOKEN, "issuer", "token-" + i, 1), 0, 0, 0);
		}
		int wrong = 0;
		for (int i = 0; i < 1_000_000; i++) {
			wrong += filter.mayHold(RowName.fast(RowKind.TOKEN, "issuer", "token-" + (NUMBER + i), 1)) ? 1 : 0;
		}
		assertThat(wrong).isLessThanOrEqualTo(125);
	}

	@Test
	void countsAnIdOnceAndIsFullWhenItHoldsWhatItWasMadeFor() {
		IdFilter filter = new IdFilter(3);
		for (int i = 0; i < 10; i++) {
			filter.add(1, 0, 0, 0);
			filter.add(2, 0, 0, 0);
		}
		assertThat(filter.size()).isEqualTo(2);
		assertThat(filter.isFull()).isFalse();
		filter.add(3, 0, 0, 0);
		assertThat(filter.isFull()).isTrue();
		assertThat(filter.mayHold(1)).isTrue();
		assertThat(filter.mayHold(4)).isFalse();
	}

	@Test
	void readersSeeWhatWasAddedBefore() {
		IdFilter filter = new IdFilter(NUMBER);
		AtomicInteger added = new AtomicInteger();
		CompletableFuture<Void> adding = CompletableFuture.runAsync(() -> {
			for (int i = 0; i < NUMBER; i++) {
				filter.add(i + 1, 0, 0, 0);
				added.set(i + 1);
			}
		});
		Random random = new Random(3);
		int seen = 0;
		while (seen < NUMBER) {
			seen = added.get();
			for (int i = 0; i < 100 && seen > 0; i++) {
				assertThat(filter.mayHold(random.nextInt(seen) + 1)).isTrue();
			}
		}
		adding.join();
	}

}
