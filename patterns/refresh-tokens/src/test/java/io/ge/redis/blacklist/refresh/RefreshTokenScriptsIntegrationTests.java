// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.refresh;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Sized;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
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
class RefreshTokenScriptsIntegrationTests {

	private static final String CLOCK_LINE = "local clock = redis.call('TIME') -- the only reading of time";

	/** Later than any server's clock, so that the server itself ends no session. */
	private static final long START = 4_000_000_000_000L;

	private static final long LIFETIME = 60_000;

	private static final long GRACE = 10_000;

	private static final int MOST = 3;

	private static LettuceConnectionFactory factory;

	private static RedisConnection connection;

	@BeforeContainer
	static void connect() {
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
	void everyTokenLeadsToTheLatestWithinItsGraceAndEndsTheSessionAfterIt(
			@ForAll("schedules") @Size(max = 16) List<Step> schedule) {
		Session session = new Session();
		for (Step step : schedule) {
			session.now += step.pause();
			int generation = Math.max(0, session.latest - step.back());
			switch (step.action()) {
				case PRESENT -> session.present(generation);
				case PRESENT_FORGED -> session.presentForged(generation + step.back());
				case FORGIVE -> session.forgive(generation, session.nonces.get(generation));
				case FORGIVE_ANOTHER -> session.forgive(generation, "another");
				case END -> session.end();
			}
		}
	}

	@Provide
	Arbitrary<List<Step>> schedules() {
		Arbitrary<Long> pauses = Arbitraries.frequency(Tuple.of(6, 0L), Tuple.of(4, 1L), Tuple.of(3, GRACE - 1),
				Tuple.of(3, GRACE), Tuple.of(1, LIFETIME - GRACE));
		Arbitrary<Integer> back = Arbitraries.frequency(Tuple.of(8, 0), Tuple.of(4, 1), Tuple.of(2, 2), Tuple.of(1, 3),
				Tuple.of(1, 4));
		Arbitrary<Action> actions = Arbitraries.frequency(Tuple.of(12, Action.PRESENT),
				Tuple.of(1, Action.PRESENT_FORGED), Tuple.of(3, Action.FORGIVE), Tuple.of(1, Action.FORGIVE_ANOTHER),
				Tuple.of(1, Action.END));
		return Combinators.combine(actions, pauses, back).as(Step::new).list();
	}

	private static List<Object> run(String script, long now, String key, Object... arguments) {
		String text = text(script);
		assertThat(text).containsOnlyOnce(CLOCK_LINE);
		String given = "local clock = {'" + now / 1000 + "', '" + now % 1000 * 1000 + "'}";
		byte[][] parameters = Stream.concat(Stream.of(key), Stream.of(arguments))
			.map((argument) -> argument.toString().getBytes(StandardCharsets.UTF_8))
			.toArray(byte[][]::new);
		List<?> reply = connection.scriptingCommands()
			.eval(text.replace(CLOCK_LINE, given).getBytes(StandardCharsets.UTF_8), ReturnType.MULTI, 1, parameters);
		List<Object> decoded = new ArrayList<>();
		reply.forEach((element) -> decoded
			.add((element instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : element));
		return decoded;
	}

	private static String text(String script) {
		try (InputStream stream = RedisRefreshTokens.class.getResourceAsStream(script)) {
			return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	enum Action {

		PRESENT, PRESENT_FORGED, FORGIVE, FORGIVE_ANOTHER, END

	}

	record Step(Action action, long pause, int back) {
	}

	/**
	 * One session, and what must come of it.
	 */
	private static final class Session {

		private static final long UNKNOWN = 0;

		private static final long ROTATED = 1;

		private static final long REPEATED = 2;

		private static final long REUSED = 3;

		private static final long REVOKED = 4;

		private final String key = "ge:refresh:{" + UUID.randomUUID() + "}:family1";

		/** The tokens by generation, as Redis knows them. */
		private final List<String> hashes = new ArrayList<>(List.of("first"));

		/** What was given for each that was presented. */
		private final Map<Integer, String> nonces = new HashMap<>();

		private final Map<Integer, Long> repeatableUntil = new HashMap<>();

		private long now = START;

		private int latest;

		private int drawn;

		private @Nullable Long ended;

		Session() {
			run("issue.lua", this.now, this.key, "first", LIFETIME, 42, "anna", "issuer", "");
		}

		void present(int generation) {
			String nonce = "nonce" + this.drawn++;
			String successor = "hash-of-" + nonce;
			List<Object> reply = run("rotate.lua", this.now, this.key, generation, this.hashes.get(generation), nonce,
					successor, GRACE, MOST);
			long expected = expected(generation);
			assertThat(reply.get(0)).as("generation %s of %s at %s", generation, this.latest, this.now)
				.isEqualTo(expected);
			if (expected == UNKNOWN) {
				assertThat(reply).hasSize(1);
				return;
			}
			assertThat(reply.subList(2, 7)).containsExactly(START + LIFETIME - this.now, "42", "anna", "issuer", "");
			assertThat(reply.get(1)).isEqualTo((expected == REUSED && this.ended == null) ? 1L : 0L);
			if (expected == ROTATED) {
				this.repeatableUntil.computeIfPresent(generation - 1,
						(predecessor, until) -> (until == START + LIFETIME) ? this.now + GRACE : until);
				this.hashes.add(successor);
				this.nonces.put(generation, nonce);
				this.repeatableUntil.put(generation, this.now + GRACE);
				this.latest++;
			}
			boolean accepted = expected == ROTATED || expected == REPEATED;
			List<Object> nonces = new ArrayList<>();
			for (int i = generation; accepted && i < this.latest; i++) {
				nonces.add(this.nonces.get(i));
			}
			assertThat(reply.subList(7, reply.size())).isEqualTo(nonces);
			this.ended = accepted ? null : expected;
		}

		private long expected(int generation) {
			if (this.now >= START + LIFETIME) {
				return UNKNOWN;
			}
			if (this.ended != null) {
				return this.ended;
			}
			if (generation == this.latest) {
				return ROTATED;
			}
			boolean kept = this.latest - generation <= MOST;
			return (kept && this.now < this.repeatableUntil.get(generation)) ? REPEATED : REUSED;
		}

		/**
		 * Who knows the session and not the secret gets nothing, and ends it only by what
		 * claims to be of the past.
		 */
		void presentForged(int generation) {
			List<Object> reply = run("rotate.lua", this.now, this.key, generation, "forged", "nonce", "hash", GRACE,
					MOST);
			boolean over = this.now >= START + LIFETIME;
			if (over || generation > this.latest || (generation == this.latest && this.ended == null)) {
				assertThat(reply).containsExactly(UNKNOWN);
				return;
			}
			this.ended = (this.ended != null) ? this.ended : Long.valueOf(REUSED);
			assertThat(reply.get(0)).isEqualTo(this.ended);
		}

		void forgive(int generation, @Nullable String nonce) {
			List<Object> reply = run("forgive.lua", this.now, this.key, generation, (nonce != null) ? nonce : "none");
			boolean forgiven = this.ended == null && generation == this.latest - 1 && nonce != null
					&& nonce.equals(this.nonces.get(generation)) && this.now < START + LIFETIME;
			assertThat(reply).containsExactly(forgiven ? 1L : 0L);
			if (forgiven) {
				this.repeatableUntil.put(generation, START + LIFETIME);
			}
		}

		void end() {
			List<Object> reply = run("end.lua", this.now, this.key);
			if (this.now >= START + LIFETIME) {
				assertThat(reply).containsExactly(UNKNOWN);
				return;
			}
			assertThat(reply).containsExactly(REVOKED, (this.ended == null) ? 1L : 0L, START + LIFETIME - this.now,
					"42", "anna", "issuer", "");
			this.ended = (this.ended != null) ? this.ended : Long.valueOf(REVOKED);
		}

	}

}
