/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import io.ge.redis.test.SharedRedis;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
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
class BlacklistScriptsIntegrationTests {

	private static final String CLOCK_LINE = "local clock = redis.call('TIME') -- the only reading of time";

	/** Before 7.0 no command tells it: the clock must not move between two readings. */
	private static final String EXPIRES_AT = """
			local expires_at = redis.pcall('PEXPIRETIME', KEYS[1])
			if type(expires_at) == 'number' then
			  return {expires_at}
			end
			local function millis()
			  local clock = redis.call('TIME')
			  return clock[1] * 1000 + math.floor(clock[2] / 1000)
			end
			local now, left
			repeat
			  now = millis()
			  left = redis.call('PTTL', KEYS[1])
			until millis() == now
			return {now + left}
			""";

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
		factory = SharedRedis.standalone().lettuceConnectionFactory();
		connection = factory.getConnection();
	}

	@AfterContainer
	static void disconnect() {
		assertThat(SharedRedis.standalone().keysWithoutTtl()).isEmpty();
		SharedRedis.standalone().flushAll();
		connection.close();
		factory.destroy();
	}

	@Property(tries = 150, shrinking = ShrinkingMode.BOUNDED)
	void revokingAllRefusesWhatWasIssuedBeforeAndNothingStampedAfter(
			@ForAll("schedules") @Size(max = 14) List<Step> schedule) {
		String row = newKey();
		long now = START;
		long notBefore = 0;
		List<Issued> tokens = new ArrayList<>();
		for (Step step : schedule) {
			now += step.pause();
			switch (step.action()) {
				case LOGIN -> tokens.add(new Issued(number("issue-stamp.lua", now, row), null));
				case LOGIN_UNSTAMPED -> tokens.add(new Issued(null, truncatedMillis(now + step.issuerAhead())));
				case REVOKE_ALL -> {
					notBefore = number("revoke-all.lua", now, row, MAX_LIFE_MILLIS + SKEW_MILLIS + ISSUER_SKEW_MILLIS);
					tokens.forEach((token) -> token.revoked = true);
				}
			}
			for (Issued token : tokens) {
				boolean clear = check(now, "", token.issuedAt(), token.stamp(), row, "not-before") == CLEAR;
				if (token.revoked) {
					assertThat(clear).as("%s at %s after %s", token, now, notBefore).isFalse();
				}
				else if (token.stamp != null || token.isProvenYoungerThan(notBefore)) {
					assertThat(clear).as("%s at %s after %s", token, now, notBefore).isTrue();
				}
			}
		}
	}

	@Property(tries = 100, shrinking = ShrinkingMode.BOUNDED)
	void loginAfterRevokingAllWorksAlsoWhereTheClockStepsBack(
			@ForAll @Size(min = 1, max = 10) List<@IntRange(min = -3_000_000, max = 3_000_000) Integer> steps) {
		String row = newKey();
		long now = START;
		long notBefore = 0;
		for (int step : steps) {
			now += step;
			long next = number("revoke-all.lua", now, row, MAX_LIFE_MILLIS);
			assertThat(next).isGreaterThan(notBefore);
			notBefore = next;
			long stamp = number("issue-stamp.lua", now, row);
			assertThat(check(now, "", "", stamp, row, "not-before")).isEqualTo(CLEAR);
		}
	}

	@Property(tries = 200, shrinking = ShrinkingMode.BOUNDED)
	void revokedTokenIsNeverClearAgain(@ForAll @IntRange(min = -70_000, max = 70_000) int lifeMillis,
			@ForAll("instantsAroundTheEnd") long afterEnd) {
		String row = newKey();
		long revokedAt = serverMicros();
		long expiresAt = revokedAt / 1000 + lifeMillis;
		long ttl = number("revoke.lua", revokedAt, row, expiresAt, SKEW_MILLIS);
		long end = (expiresAt + SKEW_MILLIS) * 1000;
		assertThat(ttl > 0).isEqualTo(expiresAt + SKEW_MILLIS > revokedAt / 1000);
		long standsUntil = (ttl > 0) ? number(EXPIRES_AT, row) * 1000 : 0;
		long checkedAt = Math.max(revokedAt, end + afterEnd);
		if (standsUntil <= checkedAt) {
			connection.keyCommands().del(row.getBytes(StandardCharsets.UTF_8));
		}
		assertThat(check(checkedAt, expiresAt, "", "", row, "row")).isNotEqualTo(CLEAR);
	}

	@Property(tries = 200, shrinking = ShrinkingMode.BOUNDED, edgeCases = EdgeCasesMode.NONE)
	void revokedTokenOfSubjectIsNotClearAgainWhenItsNotBeforeLapses(@ForAll("instantsAroundTheEnd") long afterEnd,
			@ForAll @IntRange(max = 5_000_000) int issuedBefore, @ForAll boolean stamped,
			@ForAll @IntRange(max = 1_000_000) int issuerAhead) {
		String row = newKey();
		long issued = START - issuedBefore;
		long ttl = MAX_LIFE_MILLIS + SKEW_MILLIS + ISSUER_SKEW_MILLIS;
		number("revoke-all.lua", START, row, ttl);
		if (afterEnd >= 0) {
			connection.keyCommands().del(row.getBytes(StandardCharsets.UTF_8));
		}
		Object issuedAt = stamped ? "" : truncatedMillis(issued + issuerAhead);
		Object stamp = stamped ? issued : "";
		assertThat(check(START + ttl * 1000 + afterEnd, "", issuedAt, stamp, row, "not-before")).isNotEqualTo(CLEAR);
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
		return number("local clock = redis.call('TIME') return {clock[1] * 1000000 + clock[2]}", "unused");
	}

	private static long check(long now, Object expiresAt, Object issuedAt, Object stamp, String row, String kind) {
		return number("check.lua", now, row, expiresAt, issuedAt, stamp, MAX_LIFE_MILLIS, SKEW_MILLIS,
				ISSUER_SKEW_MILLIS, kind);
	}

	private static long number(String script, long now, String key, Object... arguments) {
		String text = text(script);
		assertThat(text).containsOnlyOnce(CLOCK_LINE);
		String given = "local clock = {'" + now / SECOND + "', '" + now % SECOND + "'}";
		return number(text.replace(CLOCK_LINE, given), key, arguments);
	}

	private static long number(String script, String key, Object... arguments) {
		byte[][] parameters = Stream.concat(Stream.of(key), Stream.of(arguments))
			.map((argument) -> argument.toString().getBytes(StandardCharsets.UTF_8))
			.toArray(byte[][]::new);
		List<?> reply = connection.scriptingCommands()
			.eval(script.getBytes(StandardCharsets.UTF_8), ReturnType.MULTI, 1, parameters);
		return (Long) reply.get(0);
	}

	private static String text(String script) {
		try (InputStream stream = RedisTokenBlacklist.class.getResourceAsStream(script)) {
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
