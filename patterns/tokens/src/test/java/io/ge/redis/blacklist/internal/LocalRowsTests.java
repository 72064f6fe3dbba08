// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import com.sun.management.ThreadMXBean;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenStatus;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LocalRows}.
 */
class LocalRowsTests {

	private static final long NOW = 1_790_000_000_000_000L;

	private static final long LATER = NOW / 1000 + 3_600_000;

	private static final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	private final ServerClock clock = new ServerClock();

	private final Clocks clocks = new Clocks(Duration.ofDays(1).toMillis(), Duration.ofMinutes(1).toMillis(), 1000);

	private final LocalRows rows = new LocalRows(this.clock, this.clocks, 1_000_000);

	LocalRowsTests() {
		this.clock.set(NOW, System.nanoTime());
	}

	@Test
	void clearTokenAmongAMillionAllocatesNothingToSpeakOf() {
		Random random = new Random(1);
		for (int i = 0; i < 1_000_000; i++) {
			this.rows.apply(new Row(RowKind.TOKEN, random.nextLong() | 1, random.nextLong(), LATER, 0, null));
		}
		TokenIdentity[] tokens = new TokenIdentity[4096];
		for (int i = 0; i < tokens.length; i++) {
			tokens[i] = token("clear-" + random.nextLong(), "subject-" + i);
		}
		long[] nanos = new long[200_000];
		measure(tokens, nanos);
		long before = threads.getCurrentThreadAllocatedBytes();
		measure(tokens, nanos);
		long perCheck = (threads.getCurrentThreadAllocatedBytes() - before) / nanos.length;
		Arrays.sort(nanos);
		System.out.println("A check among a million: " + nanos[nanos.length / 2] + " ns (median), "
				+ nanos[nanos.length / 100 * 99] + " ns (p99), " + perCheck + " bytes");
		assertThat(perCheck).isLessThanOrEqualTo(200);
	}

	private void measure(TokenIdentity[] tokens, long[] nanos) {
		for (int i = 0; i < nanos.length; i++) {
			TokenIdentity token = tokens[i % tokens.length];
			long started = System.nanoTime();
			TokenStatus status = this.rows.status(token);
			nanos[i] = System.nanoTime() - started;
			if (status != TokenStatus.CLEAR) {
				throw new AssertionError(status);
			}
		}
	}

	@Test
	void olderNotBeforeDoesNotReplaceYounger() {
		RowName name = new RowName(RowKind.SUBJECT, "issuer", "anna");
		this.rows.apply(row(name, LATER, NOW));
		this.rows.apply(row(name, LATER, NOW - 1000));
		assertThat(this.rows.status(stamped(NOW))).isEqualTo(TokenStatus.SUBJECT_REVOKED);
		assertThat(this.rows.status(stamped(NOW + 1))).isEqualTo(TokenStatus.CLEAR);
	}

	@Test
	void iatInTheFutureProvesNothing() {
		this.rows.apply(row(new RowName(RowKind.SUBJECT, "issuer", "anna"), LATER, NOW));
		this.clock.set(NOW + 10_000_000, System.nanoTime());
		assertThat(this.rows.status(issued(Instant.ofEpochMilli(NOW / 1000 + 2000)))).isEqualTo(TokenStatus.CLEAR);
		assertThat(this.rows.status(issued(Instant.ofEpochMilli(NOW / 1000 + 70_000)))).isEqualTo(TokenStatus.CLEAR);
		for (Instant future : List.of(Instant.ofEpochMilli(NOW / 1000 + 80_000), Instant.MAX)) {
			assertThat(this.rows.status(issued(future))).isEqualTo(TokenStatus.SUBJECT_REVOKED);
		}
	}

	private static TokenIdentity issued(Instant issuedAt) {
		return new TokenIdentity("issuer", "id", "anna", issuedAt, null, null);
	}

	@Test
	void keepsTokensAndForgetsBlocksThatWereNotMet() {
		RowName token = new RowName(RowKind.TOKEN, "issuer", "id");
		RowName met = new RowName(RowKind.BLOCK, "ips", "10.0.0.1");
		RowName lost = new RowName(RowKind.BLOCK, "ips", "10.0.0.2");
		for (RowName name : new RowName[] { token, met, lost }) {
			this.rows.apply(row(name, LATER, 0));
		}
		this.rows.keepBlocks(Set.of(row(met, LATER, 0).id()));
		assertThat(this.rows.status(token("id", "anna"))).isEqualTo(TokenStatus.REVOKED);
		assertThat(this.rows.isBlocked(met, System.nanoTime())).isTrue();
		assertThat(this.rows.isBlocked(lost, System.nanoTime())).isFalse();
	}

	@Test
	void blockEndsByTheClockOfTheServer() {
		RowName block = new RowName(RowKind.BLOCK, "ips", "10.0.0.1");
		this.rows.apply(row(block, NOW / 1000 + 1000, 0));
		long now = System.nanoTime();
		this.clock.set(NOW + 999_999, now);
		assertThat(this.rows.isBlocked(block, now)).isTrue();
		this.clock.set(NOW + 1_000_000, now);
		assertThat(this.rows.isBlocked(block, now)).isFalse();
		this.rows.forgetEnded();
		this.rows.apply(row(block, LATER, 0));
		assertThat(this.rows.isBlocked(block, now)).isTrue();
	}

	@Test
	void notBeforesAreForgottenWhenNoTokenCanBeOlder() {
		RowName name = new RowName(RowKind.CLIENT, "issuer", "app");
		this.rows.apply(row(name, LATER, NOW));
		TokenIdentity token = new TokenIdentity("issuer", "id", null, null, null, NOW - 1, null, "app");
		this.rows.forgetEnded();
		assertThat(this.rows.status(token)).isEqualTo(TokenStatus.CLIENT_REVOKED);
		long now = System.nanoTime();
		this.clock.set(NOW + Duration.ofDays(1).plusSeconds(72).toNanos() / 1000, now);
		assertThat(this.rows.isOver(token, now)).isTrue();
		this.rows.forgetEnded();
		assertThat(this.rows.status(token)).isEqualTo(TokenStatus.CLEAR);
	}

	@Test
	void lostNotBeforeRefusesWhatIsOlderThanItsReadingOnly() {
		RowName name = new RowName(RowKind.SUBJECT, "issuer", "anna");
		this.rows.apply(row(name, LATER, Row.LOST));
		long read = this.clock.micros(System.nanoTime());
		assertThat(this.rows.status(stamped(NOW))).isEqualTo(TokenStatus.SUBJECT_REVOKED);
		assertThat(this.rows.status(stamped(read + 1))).isEqualTo(TokenStatus.CLEAR);
		this.rows.apply(row(name, LATER, read + 1));
		assertThat(this.rows.status(stamped(read + 1))).isEqualTo(TokenStatus.SUBJECT_REVOKED);
		assertThat(this.rows.status(stamped(read + 2))).isEqualTo(TokenStatus.CLEAR);
	}

	@Test
	void sessionEndsWhenTheServerIsCertainlyBeyondIt() {
		long end = NOW / 1000 + 60_000;
		this.rows.apply(row(new RowName(RowKind.SESSION, "issuer", "session of anna"), end, 0));
		TokenIdentity token = token("id", "anna");
		assertThat(this.rows.status(token)).isEqualTo(TokenStatus.SESSION_REVOKED);
		long now = System.nanoTime();
		// Sent half a minute ago: it may be later there than a minute, and may not
		this.clock.set(NOW + 50_000_000, now - TimeUnit.SECONDS.toNanos(30), now);
		assertThat(this.rows.status(token)).isEqualTo(TokenStatus.SESSION_REVOKED);
		this.clock.set(NOW + 62_000_000, now, now);
		assertThat(this.rows.status(token)).isEqualTo(TokenStatus.CLEAR);
	}

	@Test
	void blockIsNotForgottenWhileItMayStandOnTheServer() {
		RowName block = new RowName(RowKind.BLOCK, "ips", "10.0.0.1");
		this.rows.apply(row(block, NOW / 1000 + 60_000, 0));
		long now = System.nanoTime();
		this.clock.set(NOW + 50_000_000, now - TimeUnit.SECONDS.toNanos(100), now);
		this.rows.forgetEnded();
		this.clock.set(NOW, now, now);
		assertThat(this.rows.isBlocked(block, now)).isTrue();
	}

	@Test
	void asksAboutWhatItDoesNotKnowBeyondTheMostIds() {
		LocalRows few = new LocalRows(this.clock, this.clocks, 2);
		RowName session = new RowName(RowKind.SESSION, "issuer", "session of anna");
		few.apply(row(new RowName(RowKind.TOKEN, "issuer", "1"), LATER, 0));
		few.apply(row(session, LATER, 0));
		assertThat(few.status(token("3", "boris"))).isEqualTo(TokenStatus.CLEAR);
		few.apply(row(new RowName(RowKind.TOKEN, "issuer", "2"), LATER, 0));
		assertThat(few.size().exact()).isFalse();
		assertThat(few.status(token("1", "boris"))).isEqualTo(TokenStatus.REVOKED);
		assertThat(few.status(token("4", "anna"))).isEqualTo(TokenStatus.SESSION_REVOKED);
		assertThat(few.status(token("2", "boris"))).isNull();
		assertThat(few.status(token("3", "boris"))).isNull();
		few.apply(row(new RowName(RowKind.CLIENT, "issuer", "client"), LATER, NOW));
		assertThat(few.status(token("3", "boris"))).isEqualTo(TokenStatus.CLIENT_REVOKED);
	}

	@Test
	void isCompleteAgainWhenAllRowsWereRead() {
		LocalRows few = new LocalRows(this.clock, this.clocks, 2);
		for (String id : List.of("1", "2", "3")) {
			few.apply(row(new RowName(RowKind.TOKEN, "issuer", id), NOW / 1000 + 1000, 0));
		}
		few.beginReading();
		assertThat(few.isComplete()).isFalse();
		few.apply(row(new RowName(RowKind.TOKEN, "issuer", "3"), LATER, 0));
		few.endReading();
		assertThat(few.isComplete()).isFalse();
		long now = System.nanoTime();
		this.clock.set(NOW + 60_000_000, now, now);
		few.beginReading();
		few.apply(row(new RowName(RowKind.TOKEN, "issuer", "3"), LATER, 0));
		few.endReading();
		assertThat(few.isComplete()).isTrue();
		assertThat(few.status(token("3", "boris"))).isEqualTo(TokenStatus.REVOKED);
		assertThat(few.status(token("4", "boris"))).isEqualTo(TokenStatus.CLEAR);
	}

	@Test
	void whatHasEndedMakesRoom() {
		LocalRows few = new LocalRows(this.clock, this.clocks, 2);
		few.apply(row(new RowName(RowKind.TOKEN, "issuer", "1"), NOW / 1000 + 1000, 0));
		few.apply(row(new RowName(RowKind.TOKEN, "issuer", "2"), NOW / 1000 + 1000, 0));
		long now = System.nanoTime();
		this.clock.set(NOW + 60_000_000, now, now);
		few.apply(row(new RowName(RowKind.TOKEN, "issuer", "3"), LATER, 0));
		assertThat(few.isComplete()).isTrue();
		assertThat(few.status(token("3", "boris"))).isEqualTo(TokenStatus.REVOKED);
	}

	@Test
	void tokensThatHaveEndedAreForgottenWhileOthersAreAdded() {
		for (int i = 0; i < 1024; i++) {
			this.rows.apply(row(new RowName(RowKind.TOKEN, "issuer", "old-" + i), NOW / 1000 + 1000, 0));
		}
		long now = System.nanoTime();
		this.clock.set(NOW + 60_000_000, now, now);
		this.rows.apply(row(new RowName(RowKind.TOKEN, "issuer", "new"), LATER, 0));
		assertThat(this.rows.size().ids()).isOne();
		assertThat(this.rows.status(token("new", "boris"))).isEqualTo(TokenStatus.REVOKED);
	}

	@Test
	void nothingIsKeptIfNothingMayBe() {
		LocalRows none = new LocalRows(this.clock, this.clocks, 0);
		assertThat(none.status(token("1", "boris"))).isEqualTo(TokenStatus.CLEAR);
		none.apply(row(new RowName(RowKind.TOKEN, "issuer", "1"), LATER, 0));
		assertThat(none.status(token("1", "boris"))).isNull();
		assertThat(none.size().ids()).isZero();
	}

	@Test
	void remembersReasonsOfFiftyThousandRows() {
		// Hashes are spread, unlike numbers
		Random random = new Random(1);
		for (int i = 0; i < 50_000; i++) {
			this.rows.apply(new Row(RowKind.TOKEN, random.nextLong() | 1, random.nextLong(), LATER, 0, "stolen"));
		}
		this.rows.apply(new Row(RowKind.TOKEN, 1, 1, LATER, 0, "stolen"));
		assertThat(this.rows.size().reasons()).isEqualTo(50_000);
		assertThat(this.rows.size().ids()).isEqualTo(50_001);
		this.rows.apply(new Row(RowKind.TOKEN, 1, 1, LATER, 0, "found"));
		long now = System.nanoTime();
		this.clock.set(LATER * 1000 + 11_000_000, now, now);
		this.rows.forgetEnded();
		assertThat(this.rows.size().reasons()).isZero();
	}

	private static TokenIdentity stamped(long stamp) {
		return new TokenIdentity("issuer", "id", "anna", null, null, stamp);
	}

	private static TokenIdentity token(String id, String subject) {
		return new TokenIdentity("issuer", id, subject, Instant.EPOCH, Instant.ofEpochMilli(LATER), null,
				"session of " + subject, "client");
	}

	private static Row row(RowName name, long until, long notBefore) {
		return new Row(name.kind(), name.fast(), name.strong(), until, notBefore, null);
	}

}
