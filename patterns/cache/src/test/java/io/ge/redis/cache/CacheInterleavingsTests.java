// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.ge.redis.cache.EntryInterleavings.Event;
import io.ge.redis.cache.EntryInterleavings.Hole;
import io.ge.redis.cache.EntryInterleavings.Kind;
import io.ge.redis.cache.Interleavings.Outcome;
import io.ge.redis.test.Sized;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What can stay in the cache for good: all orders of a few readers and writers, and many
 * orders of more of them.
 */
@Sized
class CacheInterleavingsTests {

	private static final Set<Event> NOTHING = EnumSet.noneOf(Event.class);

	private static final Set<Event> ALL = EnumSet.allOf(Event.class);

	private static final Set<Hole> COMPLETE = EntryInterleavings.complete();

	private static Outcome explore(Set<Event> events, Set<Hole> holes, Kind... parties) {
		return Interleavings.explore(new EntryInterleavings(events, holes, 1, parties));
	}

	private static Outcome search(Set<Event> events, Set<Hole> holes, Kind... parties) {
		return Interleavings.search(new EntryInterleavings(events, holes, 1, parties));
	}

	private static void assertNeverStale(Outcome outcome) {
		assertThat(outcome.states()).isGreaterThan(50);
		assertThat(outcome.stale()).as(outcome.example()).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "WRITER,WRITER,READER,READER", "WRITER,WRITER,READER,SNAPSHOT", "WRITER,UNLOCKED,READER,SNAPSHOT",
			"UNLOCKED,UNLOCKED,READER,READER", "WRITER,SNAPSHOT,SNAPSHOT,READER" })
	void entryIsNeverStaleWhateverHappens(Kind one, Kind two, Kind three, Kind four) {
		assertNeverStale(explore(ALL, COMPLETE, one, two, three, four));
	}

	@ParameterizedTest
	@CsvSource({ "WRITER,OPEN,OPEN,OPEN", "WRITER,OPEN,OPEN_CHANGE,READER", "UNLOCKED,OPEN,OPEN_CHANGE,OPEN",
			"UNLOCKED,OPEN,OPEN_CHANGE,OPEN_CHANGE", "WRITER,WRITER,OPEN,OPEN_CHANGE", "WRITER,OPEN,OPEN,SNAPSHOT" })
	void entryIsNeverStaleWithReadersThatShareALease(Kind one, Kind two, Kind three, Kind four) {
		assertNeverStale(explore(ALL, COMPLETE, one, two, three, four));
	}

	@Test
	void lateChangeThatLeavesWhatAnotherReaderHasStoredIsFound() {
		assertThat(search(NOTHING, EnumSet.of(Hole.LATE_CHANGES_STAND), Kind.OPEN, Kind.OPEN_CHANGE).stale())
			.isPositive();
	}

	@Test
	void entryIsNeverStaleWithMany() {
		Outcome outcome = Interleavings.walk(new EntryInterleavings(ALL, COMPLETE, 3, Kind.WRITER, Kind.WRITER,
				Kind.WRITER, Kind.UNLOCKED, Kind.UNLOCKED, Kind.READER, Kind.READER, Kind.SNAPSHOT, Kind.SNAPSHOT), 7,
				3_000);
		assertNeverStale(outcome);
	}

	@ParameterizedTest
	@EnumSource(names = { "ANNOUNCEMENT_KEEPS_LEASES", "LEASES_BESIDE_WRITERS", "OLDER_TICKETS_PUBLISH",
			"PUBLISHES_BESIDE_OTHERS", "REFUSED_WRITER_LEAVES_ENTRY", "OVERRUN_COUNTS_FOR_NOTHING",
			"FILLS_WITHOUT_LEASE", "INVALIDATION_KEEPS_LEASES", "INVALIDATION_KEEPS_TICKETS" })
	void holeIsFoundWithTwoWriters(Hole hole) {
		Outcome outcome = search(ALL, EnumSet.of(hole), Kind.WRITER, Kind.WRITER, Kind.READER);
		assertThat(outcome.stale()).isPositive();
	}

	@Test
	void unguardedSnapshotIsFound() {
		Outcome outcome = search(EnumSet.of(Event.EXPIRY), EnumSet.of(Hole.NO_SNAPSHOT_GUARD), Kind.WRITER,
				Kind.SNAPSHOT, Kind.READER);
		assertThat(outcome.stale()).isPositive();
	}

	@Test
	void trustInTicketsTakenWithoutLockIsFound() {
		assertThat(search(NOTHING, EnumSet.of(Hole.UNLOCKED_TICKETS_COUNT), Kind.UNLOCKED, Kind.UNLOCKED, Kind.READER)
			.stale()).isPositive();
	}

	@Test
	void outdatedTagsAreNeverReadOnceConfirmed() {
		for (boolean loss : new boolean[] { false, true }) {
			assertNeverStale(Interleavings.explore(tags(loss, EnumSet.noneOf(TagInterleavings.Hole.class))));
		}
	}

	@Wide
	@ParameterizedTest
	@EnumSource
	void holeInTagsIsFound(TagInterleavings.Hole hole) {
		assertThat(Interleavings.search(tags(true, EnumSet.of(hole))).stale()).isPositive();
	}

	private static TagInterleavings tags(boolean loss, Set<TagInterleavings.Hole> holes) {
		List<TagInterleavings.Kind> parties = new ArrayList<>(List.of(TagInterleavings.Kind.INVALIDATOR,
				TagInterleavings.Kind.INVALIDATOR, TagInterleavings.Kind.READER, TagInterleavings.Kind.SNAPSHOT));
		if (Wide.RUN) {
			parties.add(TagInterleavings.Kind.READER);
		}
		return new TagInterleavings(loss, holes, parties.toArray(TagInterleavings.Kind[]::new));
	}

}
