/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

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
 * What can stay in the cache for good, in each mode: all orders of a few readers and
 * writers, and many orders of more of them.
 */
@Sized
class CacheInterleavingsTests {

	private static final Set<Event> NOTHING = EnumSet.noneOf(Event.class);

	private static final Set<Event> ALL = EnumSet.allOf(Event.class);

	private static final Set<Hole> COMPLETE = EntryInterleavings.complete();

	private static Outcome explore(Consistency mode, Set<Event> events, Set<Hole> holes, Kind... parties) {
		return Interleavings.explore(new EntryInterleavings(mode, events, holes, 1, parties));
	}

	private static Outcome search(Consistency mode, Set<Event> events, Set<Hole> holes, Kind... parties) {
		return Interleavings.search(new EntryInterleavings(mode, events, holes, 1, parties));
	}

	private static void assertNeverStale(Outcome outcome) {
		assertThat(outcome.states()).isGreaterThan(50);
		assertThat(outcome.stale()).as(outcome.example()).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "WRITER,WRITER,READER,READER", "WRITER,WRITER,READER,SNAPSHOT", "WRITER,UNLOCKED,READER,SNAPSHOT",
			"UNLOCKED,UNLOCKED,READER,READER", "WRITER,VERSIONED,READER,SNAPSHOT", "VERSIONED,VERSIONED,READER,READER",
			"VERSIONED,UNLOCKED,READER,READER", "VERSIONED_WRITER,VERSIONED,READER,READER",
			"VERSIONED_WRITER,WRITER,READER,SNAPSHOT", "WRITER,SNAPSHOT,SNAPSHOT,READER" })
	void intentIsNeverStaleWhateverHappens(Kind one, Kind two, Kind three, Kind four) {
		assertNeverStale(explore(Consistency.INTENT, ALL, COMPLETE, one, two, three, four));
	}

	@ParameterizedTest
	@CsvSource({ "WRITER,OPEN,OPEN,OPEN", "WRITER,OPEN,OPEN_CHANGE,READER", "UNLOCKED,OPEN,OPEN_CHANGE,OPEN",
			"VERSIONED,OPEN,OPEN_CHANGE,OPEN_CHANGE", "WRITER,WRITER,OPEN,OPEN_CHANGE", "WRITER,OPEN,OPEN,SNAPSHOT" })
	void intentIsNeverStaleWithReadersThatShareALease(Kind one, Kind two, Kind three, Kind four) {
		assertNeverStale(explore(Consistency.INTENT, ALL, COMPLETE, one, two, three, four));
	}

	@Test
	void lateChangeThatLeavesWhatAnotherReaderHasStoredIsFound() {
		assertThat(search(Consistency.INTENT, NOTHING, EnumSet.of(Hole.LATE_CHANGES_STAND), Kind.OPEN, Kind.OPEN_CHANGE)
			.stale()).isPositive();
	}

	@Test
	void intentIsNeverStaleWithMany() {
		Outcome outcome = Interleavings.walk(new EntryInterleavings(Consistency.INTENT, ALL, COMPLETE, 3, Kind.WRITER,
				Kind.WRITER, Kind.VERSIONED_WRITER, Kind.UNLOCKED, Kind.VERSIONED, Kind.READER, Kind.READER,
				Kind.SNAPSHOT, Kind.SNAPSHOT), 7, 3_000);
		assertNeverStale(outcome);
	}

	@ParameterizedTest
	@CsvSource({ "WRITER,WRITER,READER,READER", "WRITER,WRITER,SNAPSHOT,READER", "UNLOCKED,WRITER,READER,SNAPSHOT" })
	void leaseIsStaleOnlyIfAWriterDiesBetweenCommitAndRemoval(Kind one, Kind two, Kind three, Kind four) {
		Set<Event> harmless = EnumSet.of(Event.ROLLBACK, Event.EXPIRY);
		assertNeverStale(explore(Consistency.LEASE, harmless, COMPLETE, one, two, three, four));
		Outcome dying = explore(Consistency.LEASE, EnumSet.of(Event.CRASH), COMPLETE, one, two, three, four);
		assertThat(dying.stale()).isPositive();
		assertThat(dying.example()).contains("dies after the commit");
	}

	@Test
	void fastIsStaleIfTwoWritersOvertakeEachOther() {
		Outcome outcome = explore(Consistency.FAST, NOTHING, COMPLETE, Kind.WRITER, Kind.WRITER, Kind.READER);
		assertThat(outcome.stale()).isPositive();
		assertThat(outcome.example()).contains("w0 finishes", "w1 finishes").doesNotContain("dies");
	}

	@Test
	void fastIsStaleIfTheWriterDies() {
		assertThat(explore(Consistency.FAST, EnumSet.of(Event.CRASH), COMPLETE, Kind.WRITER, Kind.READER).stale())
			.isPositive();
	}

	@Test
	void fastIsNotStaleWithOneWriterOrWithVersions() {
		Set<Event> harmless = EnumSet.of(Event.ROLLBACK, Event.EXPIRY);
		assertNeverStale(
				explore(Consistency.FAST, harmless, COMPLETE, Kind.WRITER, Kind.READER, Kind.READER, Kind.SNAPSHOT));
		assertNeverStale(
				explore(Consistency.FAST, NOTHING, COMPLETE, Kind.VERSIONED, Kind.VERSIONED, Kind.READER, Kind.READER));
	}

	@ParameterizedTest
	@EnumSource(names = { "ANNOUNCEMENT_KEEPS_LEASES", "LEASES_BESIDE_WRITERS", "OLDER_TICKETS_PUBLISH",
			"PUBLISHES_BESIDE_OTHERS", "REFUSED_WRITER_LEAVES_ENTRY", "OVERRUN_COUNTS_FOR_NOTHING",
			"FILLS_WITHOUT_LEASE", "INVALIDATION_KEEPS_LEASES", "INVALIDATION_KEEPS_TICKETS" })
	void holeInIntentIsFoundWithTwoWriters(Hole hole) {
		Outcome outcome = search(Consistency.INTENT, ALL, EnumSet.of(hole), Kind.WRITER, Kind.WRITER, Kind.READER);
		assertThat(outcome.stale()).isPositive();
	}

	@Test
	void unguardedSnapshotIsFound() {
		for (Consistency mode : Consistency.values()) {
			Outcome outcome = search(mode, EnumSet.of(Event.EXPIRY), EnumSet.of(Hole.NO_SNAPSHOT_GUARD), Kind.WRITER,
					Kind.SNAPSHOT, Kind.READER);
			assertThat(outcome.stale()).as(mode.name()).isPositive();
		}
	}

	@Test
	void trustInTicketsTakenWithoutLockIsFound() {
		assertThat(search(Consistency.INTENT, NOTHING, EnumSet.of(Hole.UNLOCKED_TICKETS_COUNT), Kind.UNLOCKED,
				Kind.UNLOCKED, Kind.READER)
			.stale()).isPositive();
	}

	@Test
	void versionThatIsNotComparedIsFound() {
		assertThat(search(Consistency.INTENT, NOTHING, EnumSet.of(Hole.OLDER_VERSIONS_PUBLISH), Kind.VERSIONED,
				Kind.VERSIONED, Kind.READER)
			.stale()).isPositive();
	}

	@Test
	void versionBesideTicketsThatStandIsFound() {
		assertThat(search(Consistency.INTENT, NOTHING, EnumSet.of(Hole.VERSIONS_LEAVE_TICKETS), Kind.WRITER,
				Kind.VERSIONED, Kind.READER)
			.stale()).isPositive();
	}

	@Test
	void removalThatLeavesLeasesIsFoundInModeLease() {
		assertThat(search(Consistency.LEASE, NOTHING, EnumSet.of(Hole.INVALIDATION_KEEPS_LEASES), Kind.WRITER,
				Kind.READER, Kind.READER)
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
