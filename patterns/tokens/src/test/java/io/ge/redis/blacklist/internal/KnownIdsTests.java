// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link KnownIds}.
 */
class KnownIdsTests {

	private static final long NOW = 1_790_000_000_000L;

	private final KnownIds ids = new KnownIds();

	@Test
	void holdsWhatWasAddedAndNothingElse() {
		Random random = new Random(1);
		for (int i = 0; i < 100_000; i++) {
			this.ids.add(fast(random), random.nextLong(), NOW + i, NOW);
		}
		assertThat(this.ids.size()).isEqualTo(100_000);
		Random again = new Random(1);
		for (int i = 0; i < 100_000; i++) {
			long fast = fast(again);
			long strong = again.nextLong();
			assertThat(this.ids.mayHold(fast)).isTrue();
			assertThat(this.ids.holds(fast, strong)).isTrue();
			assertThat(this.ids.holds(fast, strong + 1)).isFalse();
		}
		for (int i = 0; i < 100_000; i++) {
			assertThat(this.ids.mayHold(fast(random))).isFalse();
		}
	}

	@Test
	void keepsIdsApartThatMeetInOneHalf() {
		for (long strong = 0; strong < 200; strong++) {
			this.ids.add(42, strong, NOW + 1000, NOW);
		}
		assertThat(this.ids.size()).isEqualTo(200);
		assertThat(this.ids.holds(42, 199)).isTrue();
		assertThat(this.ids.holds(42, 200)).isFalse();
		assertThat(this.ids.holds(43, 199)).isFalse();
	}

	@Test
	void addingAgainProlongs() {
		this.ids.add(42, 1, NOW + 1000, NOW);
		this.ids.add(42, 1, NOW + 100_000, NOW);
		this.ids.add(42, 1, NOW + 1000, NOW);
		assertThat(this.ids.size()).isOne();
		fillSegmentOf(42, NOW + 50_000);
		assertThat(this.ids.holds(42, 1)).isTrue();
	}

	@Test
	void forgetsWhatHasEndedWhenThereIsNoSpace() {
		this.ids.add(42, 1, NOW + 1000, NOW);
		this.ids.add(43, 1, NOW + 60_000, NOW);
		fillSegmentOf(42, NOW + 50_000);
		assertThat(this.ids.holds(42, 1)).isFalse();
		assertThat(this.ids.holds(43, 1)).isTrue();
	}

	@Test
	void holdsUntilTheSecondOfItsEndIsOver() {
		this.ids.add(42, 1, NOW + 1, NOW);
		assertThat(this.ids.holds(42, 1, NOW + 1000)).isTrue();
		assertThat(this.ids.holds(42, 1, NOW + 2000)).isFalse();
		assertThat(this.ids.holds(42, 2, NOW)).isFalse();
		this.ids.add(42, 1, NOW + 2000, NOW);
		assertThat(this.ids.holds(42, 1, NOW + 2000)).isTrue();
	}

	@Test
	void isNotEndedBeforeItsLastMillisecond() {
		this.ids.add(42, 1, NOW + 1, NOW);
		fillSegmentOf(42, NOW + 1);
		assertThat(this.ids.holds(42, 1)).isTrue();
	}

	@Test
	void endsAtTheEndOfTimeAreFarAway() {
		this.ids.add(42, 1, 253_402_300_799_000L, NOW);
		fillSegmentOf(42, NOW);
		assertThat(this.ids.holds(42, 1)).isTrue();
	}

	@Test
	void millionTakesLessThanFortyMebibytes() {
		Random random = new Random(2);
		for (int i = 1; i <= 1_000_000; i++) {
			this.ids.add(fast(random), random.nextLong(), NOW + 1_000_000, NOW);
			if (i % 50_000 == 0) {
				assertThat(this.ids.bytes()).isLessThanOrEqualTo(40L * 1024 * 1024 * i / 1_000_000);
			}
		}
	}

	@Test
	void readersSeeWhatWasAddedBeforeWhileItGrows() {
		int number = 300_000;
		AtomicInteger added = new AtomicInteger();
		CompletableFuture<Void> adding = CompletableFuture.runAsync(() -> {
			for (int i = 0; i < number; i++) {
				this.ids.add(spread(i), i, NOW + 1_000_000, NOW);
				added.set(i + 1);
			}
		});
		Random random = new Random(3);
		int seen = 0;
		while (seen < number) {
			seen = added.get();
			for (int i = 0; i < 100 && seen > 0; i++) {
				int any = random.nextInt(seen);
				assertThat(this.ids.holds(spread(any), any)).isTrue();
			}
		}
		adding.join();
	}

	// Such small ids are of one segment
	private void fillSegmentOf(long fast, long now) {
		for (long i = 1; i <= 100; i++) {
			this.ids.add(fast + 1000 * i, 1, now + 1_000_000, now);
		}
	}

	private static long fast(Random random) {
		long fast = random.nextLong();
		return (fast != 0) ? fast : 1;
	}

	private static long spread(int number) {
		return (number + 1) * 0x9E3779B97F4A7C15L;
	}

}
