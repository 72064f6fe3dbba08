// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.oracle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each judge finds a planted violation, and none where there is none.
 */
class HistoryTests {

	@TempDir
	private Path directory;

	@Test
	void journalKeepsLinesOfProcessesApartAndInOrder() {
		write("b", 20, "kind", "\u00e4\t\n", "");
		write("a", 10, "kind", 1);
		write("a", 30, "other");
		assertThat(history().entries()).containsExactly(new Entry(10, "a", "kind", List.of("1")),
				new Entry(20, "b", "kind", List.of("\u00e4\t\n", "")), new Entry(30, "a", "other", List.of()));
		assertThat(history().count("kind")).isEqualTo(2);
		assertThat(history().entries().get(0).number(0)).isEqualTo(1);
		assertThat(history().entries().get(0).field(7)).isEmpty();
	}

	@Test
	void lineIsInTheFileAsSoonAsItIsWritten() throws IOException {
		try (Journal journal = Journal.open(this.directory, "a")) {
			long before = System.nanoTime();
			journal.write("kind", "x");
			assertThat(Files.readString(this.directory.resolve("a.journal"))).endsWith("\tkind\tx\n");
			assertThat(history().entries().get(0).nanos()).isBetween(before, System.nanoTime());
		}
	}

	@Test
	void findsTwoInTheSectionAtOnce() {
		section("a", 1, 0, 10, 50);
		section("b", 2, 0, 50, 60);
		assertThat(history().overlaps()).isEmpty();
		section("c", 3, 0, 59, 70);
		assertThat(history().overlaps()).singleElement().asString().contains("b with token 2", "c with token 3", "1");
	}

	@Test
	void sectionsOfDifferentKeysMayOverlap() {
		section("a", 1, 0, 10, 50);
		write("b", 20, Journal.ENTER, "other", 2, 15);
		write("b", 30, Journal.LEAVE, "other", 2);
		assertThat(history().overlaps()).isEmpty();
	}

	@Test
	void sectionEndsWithTheDeathOfItsProcess() {
		write("a", 10, Journal.ENTER, "key", 1, 0);
		write("end-of-a", 40, Journal.DIED, "a");
		section("b", 2, 0, 41, 50);
		assertThat(history().overlaps()).isEmpty();
		section("c", 3, 0, 30, 35);
		assertThat(history().overlaps()).singleElement().asString().contains("a with token 1", "c with token 3");
	}

	@Test
	void sectionWithoutEndLastsUntilItsLastSign() {
		write("a", 10, Journal.ENTER, "key", 1, 0);
		write("a", 30, Journal.VALID, "key", 1);
		section("b", 2, 0, 31, 50);
		assertThat(history().overlaps()).isEmpty();
		section("c", 3, 0, 29, 30);
		assertThat(history().overlaps()).hasSize(1);
	}

	@Test
	void findsTwoWhoWereToldAtOnceThatTheirLockIsValid() {
		section("a", 1, 0, 10, 100);
		write("a", 30, Journal.VALID, "key", 1);
		section("b", 2, 0, 40, 50);
		write("b", 45, Journal.VALID, "key", 2);
		assertThat(history().overlaps()).hasSize(1);
		assertThat(history().validOverlaps()).isEmpty();
		write("a", 41, Journal.VALID, "key", 1);
		assertThat(history().validOverlaps()).singleElement().asString().contains("valid locks at once");
	}

	@Test
	void findsTokensThatDoNotRise() {
		section("a", 5, 0, 10, 20);
		section("b", 6, 15, 30, 40);
		section("c", 4, 5, 12, 14);
		assertThat(history().fencingOrder()).isEmpty();
		section("d", 3, 41, 45, 50);
		assertThat(history().fencingOrder()).singleElement().asString().contains("d with token 3 came after");
	}

	@Test
	void findsATokenThatTwoHave() {
		section("a", 5, 0, 10, 20);
		section("b", 5, 0, 10, 20);
		assertThat(history().fencingOrder()).isNotEmpty();
	}

	@Test
	void findsAWriteOfAFormerHolderAfterOneOfALaterHolder() {
		section("a", 1, 0, 10, 100);
		section("b", 2, 20, 50, 100);
		write("a", 40, Journal.WRITTEN, "key", 1, 39);
		write("b", 60, Journal.WRITTEN, "key", 2, 55);
		write("a", 62, Journal.WRITTEN, "key", 1, 59);
		write("b", 64, Journal.WRITTEN, "key", 2, 63);
		assertThat(history().staleWrites()).isEmpty();
		write("a", 63, Journal.WRITTEN, "key", 1, 61);
		assertThat(history().staleWrites()).singleElement()
			.asString()
			.contains("a with token 1 was accepted after one of b with token 2");
	}

	/**
	 * A day's work for whoever compares each with each.
	 */
	@Test
	@Timeout(60)
	@Wide
	void findsOneAmongManySections() {
		try (Journal journal = Journal.open(this.directory, "a")) {
			for (long i = 1; i <= 20_000; i++) {
				journal.writeAt(10 * i, Journal.ENTER, "key", i, 10 * i - 1);
				journal.writeAt(10 * i + 1, Journal.VALID, "key", i);
				journal.writeAt(10 * i + 3, Journal.WRITTEN, "key", i, 10 * i + 2);
				journal.writeAt(10 * i + 4, Journal.LEAVE, "key", i);
			}
		}
		History history = history();
		assertThat(history.overlaps()).isEmpty();
		assertThat(history.validOverlaps()).isEmpty();
		assertThat(history.fencingOrder()).isEmpty();
		assertThat(history.staleWrites()).isEmpty();
		section("b", 15_000, 150_005, 150_006, 150_012);
		write("b", 180_000, Journal.WRITTEN, "key", 15_000, 179_999);
		history = history();
		assertThat(history.overlaps()).singleElement().asString().contains("b with token 15000", "a with token 15001");
		assertThat(history.fencingOrder()).extracting(Violation::toString)
			.anyMatch((text) -> text.contains("b with token 15000 came after a with token 15000"));
		assertThat(history.staleWrites()).singleElement().asString().contains("a write of b with token 15000");
	}

	@Test
	void findsTwoEffectsForOneKey() {
		write("a", 1, Journal.EFFECT, "k1");
		write("a", 2, Journal.EFFECT, "k2");
		assertThat(history().effectsPerKey()).isEmpty();
		write("b", 3, Journal.EFFECT, "k1");
		assertThat(history().effectsPerKey()).containsExactly(new Violation("k1: 2 effects"));
	}

	@Test
	void findsMoreAdmissionsThanTheLimitInAWindowOfAnyStart() {
		admitted("a", 0, 10);
		admitted("b", 90, 95);
		admitted("a", 110, 111);
		assertThat(history().admissionsPerWindow(2, Duration.ofNanos(100))).isEmpty();
		admitted("b", 180, 189);
		assertThat(history().admissionsPerWindow(2, Duration.ofNanos(100))).singleElement()
			.asString()
			.contains("3 admissions of 2");
	}

	@Test
	void admissionThatMayLieOutsideTheWindowIsNotCounted() {
		admitted("a", 0, 10);
		admitted("b", 50, 101);
		assertThat(history().admissionsPerWindow(1, Duration.ofNanos(100))).isEmpty();
		admitted("c", 50, 99);
		assertThat(history().admissionsPerWindow(1, Duration.ofNanos(100))).hasSize(1);
	}

	@Test
	void findsACacheThatDiffersFromTheDatabaseAtRest() {
		write("a", 1, Journal.STORED, "k1", "old");
		write("a", 2, Journal.STORED, "k1", "new");
		write("a", 3, Journal.CACHED, "k1", "new");
		write("b", 3, Journal.CACHED, "k1");
		assertThat(history().staleAtRest()).isEmpty();
		write("c", 3, Journal.CACHED, "k1", "old");
		assertThat(history().staleAtRest()).singleElement().asString().contains("k1 of c", "old", "new");
		write("d", 3, Journal.CACHED, "k2", "gone");
		assertThat(history().staleAtRest()).hasSize(2);
	}

	@Test
	void findsATokenThatIsAcceptedLongAfterItsRevocation() {
		write("a", 10, Journal.REVOKED, "t1");
		write("b", 15, Journal.ACCEPTED, "t1", 12);
		write("b", 90, Journal.ACCEPTED, "t1", 20);
		write("b", 90, Journal.ACCEPTED, "t2", 80);
		assertThat(history().acceptedAfterRevocation(Duration.ofNanos(10))).isEmpty();
		write("b", 22, Journal.ACCEPTED, "t1", 21);
		assertThat(history().acceptedAfterRevocation(Duration.ofNanos(10))).singleElement().asString().contains("t1");
	}

	@Test
	void counterRefusesLowerTokens() {
		FencedCounter counter = new FencedCounter(this.directory.resolve("counter"));
		assertThat(counter.count()).isZero();
		assertThat(counter.add(5)).isTrue();
		assertThat(counter.add(5)).isTrue();
		assertThat(counter.add(7)).isTrue();
		assertThat(counter.add(6)).isFalse();
		assertThat(counter.count()).isEqualTo(3);
	}

	private History history() {
		return History.read(this.directory);
	}

	private void section(String process, long token, long asked, long enter, long leave) {
		write(process, enter, Journal.ENTER, "key", token, asked);
		write(process, leave, Journal.LEAVE, "key", token);
	}

	private void admitted(String process, long asked, long answered) {
		write(process, answered, Journal.ADMITTED, "key", asked);
	}

	private void write(String process, long nanos, String kind, Object... fields) {
		try (Journal journal = Journal.open(this.directory, process)) {
			journal.writeAt(nanos, kind, fields);
		}
	}

}
