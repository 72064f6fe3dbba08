// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.ge.redis.cache.internal.engine.CacheKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CacheJournal}.
 */
class CacheJournalTests {

	private static final CacheKey KEY = new CacheKey("c", List.of("k"));

	private static final Duration LONG = Duration.ofHours(1);

	private final CacheJournal journal = new CacheJournal();

	private List<CacheKey> deferred() {
		this.journal.defer(KEY);
		return this.journal.takeDeferred(10, (key) -> false);
	}

	@Test
	void writerThatIsRolledBackLeavesNothing() {
		this.journal.open(KEY, "w");
		assertThat(this.journal.holds(KEY)).isTrue();
		assertThat(deferred()).isEmpty();
		this.journal.forget(KEY);
		assertThat(this.journal.holds(KEY)).isFalse();
	}

	@Test
	void committedWriterIsDueUntilItsEntryIsRemoved() {
		this.journal.open(KEY, "w");
		this.journal.due(KEY, "w", true, LONG);
		assertThat(deferred()).containsExactly(KEY);
		CacheJournal.Note note = this.journal.due(KEY);
		assertThat(note.writers()).containsExactly("w");
		this.journal.removed(KEY, note);
		assertThat(this.journal.holds(KEY)).isFalse();
	}

	@Test
	void removalDoesNotCoverWhatWasCommittedSinceItBegan() {
		this.journal.due(KEY, "one", false, LONG);
		CacheJournal.Note note = this.journal.due(KEY);
		this.journal.due(KEY, "two", false, LONG);
		this.journal.removed(KEY, note);
		assertThat(deferred()).containsExactly(KEY);
	}

	@Test
	void removalDoesNotCoverWritersThatAreStillOpen() {
		this.journal.due(KEY, "one", false, LONG);
		this.journal.open(KEY, "two");
		this.journal.removed(KEY, this.journal.due(KEY));
		assertThat(this.journal.holds(KEY)).isTrue();
		assertThat(deferred()).isEmpty();
		this.journal.forget(KEY);
		assertThat(this.journal.holds(KEY)).isFalse();
	}

	@Test
	void whatHasExpiredInRedisIsDropped() {
		this.journal.due(KEY, "one", false, Duration.ZERO);
		assertThat(deferred()).isEmpty();
		assertThat(this.journal.holds(KEY)).isFalse();
	}

	@Test
	void looksOnceAtEachForWhatCanBeRemoved() {
		List<CacheKey> asked = new ArrayList<>();
		List<CacheKey> all = IntStream.range(0, 100).mapToObj((i) -> new CacheKey("c", List.of("k" + i))).toList();
		for (CacheKey key : all) {
			this.journal.due(key, "w", false, LONG);
			this.journal.defer(key);
		}
		assertThat(this.journal.takeDeferred(10, asked::add)).isEmpty();
		assertThat(asked).containsExactlyElementsOf(all);
		assertThat(this.journal.takeDeferred(10, (key) -> !key.equals(all.get(99)))).containsExactly(all.get(99));
		assertThat(this.journal.hasDeferred()).isTrue();
	}

	@Test
	void whatHasExpiredMakesRoom() {
		for (int i = 0; i < CacheJournal.CAPACITY; i++) {
			CacheKey key = new CacheKey("c", List.of("k" + i));
			this.journal.due(key, "w", false, (i == 7) ? Duration.ZERO : LONG);
			this.journal.defer(key);
		}
		this.journal.due(KEY, "w", false, LONG);
		assertThat(this.journal.holds(KEY)).isTrue();
	}

	@Test
	void isBounded() {
		for (int i = 0; i < CacheJournal.CAPACITY + 10; i++) {
			this.journal.due(new CacheKey("c", List.of("k" + i)), "w", false, LONG);
		}
		assertThat(this.journal.size()).isEqualTo(CacheJournal.CAPACITY);
	}

}
