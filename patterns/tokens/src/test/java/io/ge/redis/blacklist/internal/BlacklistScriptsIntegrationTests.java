// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Sized;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts against what they promise, at times that the test chooses: the one line
 * that reads the clock is replaced.
 */
@Sized
class BlacklistScriptsIntegrationTests {

	private static final String CLOCK_LINE = "local clock = redis.call('TIME') -- the only reading of time";

	private static final String TOKEN = "t0123456789abcdef";

	private static final String SUBJECT = "n0123456789abcdef";

	private static final long CLEAR = 0;

	private static final long SECOND = 1_000_000;

	private static final long START = 1_790_000_000L * SECOND + 999_990;

	private static final long MAX_LIFE_MILLIS = 3_600_000;

	private static final long SKEW_MILLIS = 60_000;

	private static final long ISSUER_SKEW_MILLIS = 1000;

	private static LettuceConnectionFactory factory;

	private static RedisConnection connection;

	@BeforeContainer
	static void connect() {
		// Of what other classes have left, nothing is to be judged here
		SharedRedis.standalone().flushAll();
		factory = SharedRedis.standalone().connectionFactory();
		connection = factory.getConnection();
	}

	@AfterContainer
	static void disconnect() {
		assertThat(SharedRedis.standalone().keysWithoutTtl()).isEmpty();
		SharedRedis.standalone().flushAll();
		connection.close();
		factory.destroy();
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	void revokingAllRefusesWhatWasIssuedBeforeAndNothingStampedAfter(
			@ForAll("schedules") @Size(max = 14) List<Step> schedule) {
		String row = newKey();
		long now = START;
		long notBefore = 0;
		List<Issued> tokens = new ArrayList<>();
		for (Step step : schedule) {
			now += step.pause();
			switch (step.action()) {
				case LOGIN -> tokens.add(new Issued(number("issue-stamp.lua", now, List.of(row + ":details")), null));
				case LOGIN_UNSTAMPED -> tokens.add(new Issued(null, truncatedMillis(now + step.issuerAhead())));
				case REVOKE_ALL -> {
					notBefore = notBefore(now, row, MAX_LIFE_MILLIS + SKEW_MILLIS + ISSUER_SKEW_MILLIS);
					tokens.forEach((token) -> token.revoked = true);
				}
			}
			for (Issued token : tokens) {
				boolean clear = check(now, "", token.issuedAt(), token.stamp(), row, SUBJECT) == CLEAR;
				if (token.revoked) {
					assertThat(clear).as("%s at %s after %s", token, now, notBefore).isFalse();
				}
				else if (token.stamp != null || token.isProvenYoungerThan(notBefore)) {
					assertThat(clear).as("%s at %s after %s", token, now, notBefore).isTrue();
				}
			}
		}
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	void loginAfterRevokingAllWorksAlsoWhereTheClockStepsBack(
			@ForAll @Size(min = 1, max = 10) List<@IntRange(min = -3_000_000, max = 3_000_000) Integer> steps) {
		String row = newKey();
		long now = START;
		long notBefore = 0;
		for (int step : steps) {
			now += step;
			long next = notBefore(now, row, MAX_LIFE_MILLIS);
			assertThat(next).isGreaterThan(notBefore);
			notBefore = next;
			long stamp = number("issue-stamp.lua", now, List.of(row + ":details"));
			assertThat(check(now, "", "", stamp, row, SUBJECT)).isEqualTo(CLEAR);
		}
	}

	@Example
	void iatInTheFutureProvesNothing() {
		String row = newKey();
		notBefore(START, row, MAX_LIFE_MILLIS);
		long now = START / 1000 + 10_000;
		long ahead = now + SKEW_MILLIS + ISSUER_SKEW_MILLIS;
		assertThat(check(now * 1000, "", now - 5000, "", row, SUBJECT)).isEqualTo(CLEAR);
		assertThat(check(now * 1000, "", ahead, "", row, SUBJECT)).isEqualTo(CLEAR);
		assertThat(check(now * 1000, "", ahead + 1, "", row, SUBJECT)).isNotEqualTo(CLEAR);
		assertThat(check(now * 1000, "", 253_402_300_799_000L, "", row, SUBJECT)).isNotEqualTo(CLEAR);
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	void revokedTokenIsNeverClearAgain(@ForAll @IntRange(min = -70_000, max = 70_000) int lifeMillis,
			@ForAll("instantsAroundTheEnd") long afterEnd) {
		String row = newKey();
		long revokedAt = serverMicros();
		long expiresAt = revokedAt / 1000 + lifeMillis;
		long ttl = number("change.lua", revokedAt, keys(row), TOKEN, "until", expiresAt + SKEW_MILLIS, 100, "news", "");
		long end = (expiresAt + SKEW_MILLIS) * 1000;
		assertThat(ttl > 0).isEqualTo(end > revokedAt);
		if (ttl > 0) {
			assertThat(number("return {redis.call('PTTL', KEYS[1])}", List.of(row))).isBetween(ttl, ttl + 10_001);
		}
		long checkedAt = Math.max(revokedAt, end + afterEnd);
		// At the earliest when it has ended and ten seconds more
		notBefore(checkedAt, row, "n another subject", MAX_LIFE_MILLIS);
		assertThat(check(checkedAt, expiresAt, "", "", row, TOKEN)).isNotEqualTo(CLEAR);
	}

	@Property(shrinking = ShrinkingMode.BOUNDED, edgeCases = EdgeCasesMode.NONE)
	void revokedTokenOfSubjectIsNotClearAgainWhenItsNotBeforeLapses(@ForAll("instantsAroundTheEnd") long afterEnd,
			@ForAll @IntRange(max = 5_000_000) int issuedBefore, @ForAll boolean stamped,
			@ForAll @IntRange(max = 1_000_000) int issuerAhead) {
		String row = newKey();
		long issued = START - issuedBefore;
		long ttl = MAX_LIFE_MILLIS + SKEW_MILLIS + ISSUER_SKEW_MILLIS;
		notBefore(START, row, ttl);
		if (afterEnd >= 0) {
			connection.keyCommands().del(keys(row).stream().map(String::getBytes).toArray(byte[][]::new));
		}
		Object issuedAt = stamped ? "" : truncatedMillis(issued + issuerAhead);
		Object stamp = stamped ? issued : "";
		assertThat(check(START + ttl * 1000 + afterEnd, "", issuedAt, stamp, row, SUBJECT)).isNotEqualTo(CLEAR);
	}

	@Provide
	Arbitrary<List<Step>> schedules() {
		Arbitrary<Long> pauses = Arbitraries.of(0L, 0L, 1L, 9L, 999L, 500_000L, SECOND, 3 * SECOND + 1);
		Arbitrary<Long> ahead = Arbitraries.longs().between(-SECOND, SECOND);
		return Combinators.combine(Arbitraries.of(Action.class), pauses, ahead).as(Step::new).list();
	}

	@Provide
	Arbitrary<Long> instantsAroundTheEnd() {
		return Arbitraries.oneOf(Arbitraries.longs().between(-1001, 1001),
				Arbitraries.longs().between(-120 * SECOND, 120 * SECOND));
	}

	private static String newKey() {
		return "ge:blacklist:{" + UUID.randomUUID() + "}";
	}

	private static long truncatedMillis(long micros) {
		return Math.floorDiv(micros, SECOND) * 1000;
	}

	private static long serverMicros() {
		return number("local clock = redis.call('TIME') return {clock[1] * 1000000 + clock[2]}", List.of());
	}

	private static long check(long now, Object expiresAt, Object issuedAt, Object stamp, String row, String member) {
		return number("check.lua", now, List.of(row, row + ":details", row + ":reasons"), expiresAt, issuedAt, stamp,
				MAX_LIFE_MILLIS, SKEW_MILLIS, ISSUER_SKEW_MILLIS, member);
	}

	private static long notBefore(long now, String row, long ttl) {
		return notBefore(now, row, SUBJECT, ttl);
	}

	private static long notBefore(long now, String row, String member, long ttl) {
		return numbers("change.lua", now, keys(row), member, "not-before", ttl, 100, "news", "").get(2);
	}

	private static List<String> keys(String row) {
		return List.of(row, row + ":details", row + ":changes", row + ":reasons");
	}

	private static long number(String script, long now, List<String> keys, Object... arguments) {
		return numbers(script, now, keys, arguments).get(0);
	}

	private static List<Long> numbers(String script, long now, List<String> keys, Object... arguments) {
		String text = text(script);
		assertThat(text).containsOnlyOnce(CLOCK_LINE);
		String given = "local clock = {'" + now / SECOND + "', '" + now % SECOND + "'}";
		return numbers(text.replace(CLOCK_LINE, given), keys, arguments);
	}

	private static long number(String script, List<String> keys, Object... arguments) {
		return numbers(script, keys, arguments).get(0);
	}

	private static List<Long> numbers(String script, List<String> keys, Object... arguments) {
		byte[][] parameters = Stream.concat(keys.stream(), Stream.of(arguments))
			.map((argument) -> argument.toString().getBytes(StandardCharsets.UTF_8))
			.toArray(byte[][]::new);
		List<?> reply = connection.scriptingCommands()
			.eval(script.getBytes(StandardCharsets.UTF_8), ReturnType.MULTI, keys.size(), parameters);
		return reply.stream().map((element) -> (element instanceof Long number) ? number : Long.valueOf(-1)).toList();
	}

	private static String text(String script) {
		try (InputStream stream = TokenBlacklist.class.getResourceAsStream(script)) {
			return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	enum Action {

		LOGIN, LOGIN_UNSTAMPED, REVOKE_ALL

	}

	record Step(Action action, long pause, long issuerAhead) {
	}

	private static final class Issued {

		private final @Nullable Long stamp;

		private final @Nullable Long issuedAt;

		private boolean revoked;

		Issued(@Nullable Long stamp, @Nullable Long issuedAt) {
			this.stamp = stamp;
			this.issuedAt = issuedAt;
		}

		boolean isProvenYoungerThan(long notBefore) {
			return this.issuedAt * 1000 > notBefore + ISSUER_SKEW_MILLIS * 1000;
		}

		Object stamp() {
			return (this.stamp != null) ? this.stamp : "";
		}

		Object issuedAt() {
			return (this.issuedAt != null) ? this.issuedAt : "";
		}

		@Override
		public String toString() {
			return "token with stamp " + this.stamp + " and iat " + this.issuedAt;
		}

	}

}
