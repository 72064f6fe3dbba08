// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TestBackend;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What an instance remembers against what was written, under random schedules: others
 * write between any two scripts of its looks, the stream is cut and lost, and everything
 * is flushed. Nothing runs by itself; the test says when the instance looks.
 */
@Sized
class RowFeedIntegrationTests {

	private static final Clocks CLOCKS = new Clocks(Duration.ofDays(1).toMillis(), 60_000, 1000);

	private static final long FAR = Instant.now().plusSeconds(3600).toEpochMilli();

	private static final List<TokenStatus> REVOKED_OR_TO_BE_ASKED = Arrays.asList(TokenStatus.REVOKED, null);

	private static final Consumer<String> NOTHING = (script) -> {
	};

	private static StandaloneRedis redis;

	private static LettuceConnectionFactory factory;

	private static RedisConnection connection;

	private static byte[] change;

	/** What others write while the instance looks. */
	private final Deque<Write> pending = new ArrayDeque<>();

	private final Set<String> everRevoked = new HashSet<>();

	private final Set<String> revoked = new HashSet<>();

	private final Set<String> blocked = new HashSet<>();

	private final Map<String, Long> notBefore = new HashMap<>();

	private String keys = "";

	@BeforeContainer
	static void connect() throws IOException {
		redis = SharedRedis.standalone();
		factory = redis.connectionFactory();
		connection = factory.getConnection();
		try (InputStream stream = TokenBlacklist.class.getResourceAsStream("change.lua")) {
			change = stream.readAllBytes();
		}
	}

	@AfterContainer
	static void disconnect() {
		assertThat(redis.keysWithoutTtl()).isEmpty();
		redis.flushAll();
		connection.close();
		factory.destroy();
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	void nothingIsMissedWhateverHappensBetweenTwoScripts(
			@ForAll("schedules") @Size(min = 5, max = 40) List<Write> schedule,
			@ForAll @IntRange(min = 1, max = 4) int page, @ForAll("mostExact") int mostExact) {
		begin();
		try (Reader reader = new Reader(page, mostExact)) {
			for (Write write : schedule) {
				if (write.action() == Action.LOOK) {
					reader.look();
				}
				else {
					this.pending.add(write);
				}
			}
			// Until nobody writes
			while (!this.pending.isEmpty()) {
				reader.look();
			}
			reader.look();
			reader.look();
			assertThat(reader.feed.isFresh(System.nanoTime())).isTrue();
			assertKnown(reader);
		}
	}

	private void begin() {
		redis.flushAll();
		this.keys = "ge:blacklist:{all}:";
		this.pending.clear();
		List.of(this.everRevoked, this.revoked, this.blocked).forEach(Set::clear);
		this.notBefore.clear();
	}

	@Example
	void rowsThatEndTogetherAreReadInPagesOfBoundedSize() {
		begin();
		for (int i = 0; i < 25; i++) {
			write(new RowName(RowKind.TOKEN, "issuer", "name-" + i), "until", FAR);
		}
		try (Reader reader = new Reader(4, 1000)) {
			reader.look();
			assertThat(reader.scripts).containsExactly("blacklist/last-change", "blacklist/rows", "blacklist/rows",
					"blacklist/rows", "blacklist/rows", "blacklist/rows", "blacklist/rows", "blacklist/rows",
					"blacklist/follow");
			for (int i = 0; i < 25; i++) {
				assertThat(reader.memory.status(token("name-" + i))).isEqualTo(TokenStatus.REVOKED);
			}
		}
	}

	@Example
	void instancesThatHaveEndedLeaveNothingBehind() {
		begin();
		String readers = this.keys + "readers1";
		redis.primary().command("HSET", readers, "lost", "1 0-0", "ended", "1 0-0", "follows", FAR + " 0-0");
		try (Reader reader = new Reader(4, 1000)) {
			reader.look();
			assertThat((List<?>) redis.primary().command("HKEYS", readers)).hasSize(3)
				.asString()
				.contains("lost", "follows")
				.doesNotContain("ended");
		}
	}

	@Example
	void lastRowOfAPageMayBeGoneWhenTheNextOneIsRead() {
		begin();
		List<RowName> names = new ArrayList<>();
		for (int i = 0; i < 9; i++) {
			names.add(new RowName(RowKind.BLOCK, "list", "name-" + i));
			write(names.get(i), "until", FAR);
		}
		// As rows stand that end together
		names.sort((one, other) -> Arrays.compareUnsigned(one.member(), other.member()));
		try (Reader reader = new Reader(2, 1000)) {
			reader.onScript = (script) -> {
				if (script.equals("blacklist/rows")) {
					reader.onScript = NOTHING;
					write(names.get(1), "remove", 0);
				}
			};
			reader.look();
			for (RowName name : names) {
				assertThat(reader.memory.isBlocked(name, System.nanoTime())).isEqualTo(name != names.get(1));
			}
		}
	}

	@Example
	void looksFollowEachOtherAlsoWhileAllRowsAreRead() {
		begin();
		for (int i = 0; i < 10; i++) {
			write(new RowName(RowKind.TOKEN, "issuer", "name-" + i), "until", FAR);
		}
		try (Reader reader = new Reader(2, 1000)) {
			reader.onScript = (script) -> {
				if (script.equals("blacklist/rows")) {
					// Wants a look
					reader.feed.wrote();
				}
			};
			reader.feed.used(System.nanoTime());
			await().until(() -> reader.feed.isFresh(System.nanoTime()) && reader.scripts.size() >= 9);
			assertThat(reader.scripts).startsWith("blacklist/last-change", "blacklist/rows", "blacklist/rows",
					"blacklist/rows", "blacklist/rows", "blacklist/rows", "blacklist/rows", "blacklist/follow",
					"blacklist/follow");
			assertThat(reader.scripts).containsOnlyOnce("blacklist/last-change");
			reader.feed.pause();
		}
	}

	@Example
	void ownWriteDuringALookIsNotTakenForKnown() {
		begin();
		try (Reader reader = new Reader(RowFeed.PAGE, 1000)) {
			reader.look();
			assertThat(reader.feed.isFresh(System.nanoTime())).isTrue();
			reader.onScript = (script) -> {
				// Redis has replied that there is nothing new
				reader.onScript = NOTHING;
				write(new RowName(RowKind.TOKEN, "issuer", "own"), "until", FAR);
				reader.feed.wrote();
			};
			reader.look();
			assertThat(reader.memory.status(token("own"))).isEqualTo(TokenStatus.CLEAR);
			assertThat(reader.feed.isFresh(System.nanoTime())).isFalse();
			reader.look();
			assertThat(reader.memory.status(token("own"))).isEqualTo(TokenStatus.REVOKED);
			assertThat(reader.feed.isFresh(System.nanoTime())).isTrue();
		}
	}

	@Example
	void entriesAndRowsThatCannotBeReadArePassedOver() {
		begin();
		try (Reader reader = new Reader(2, 1000)) {
			reader.look();
			redis.primary()
				.command("ZADD", this.keys + "rows1", String.valueOf(FAR), "?row", String.valueOf(FAR), "row");
			for (String entry : List.of("no change of ours", "x-another release's kind", "t")) {
				String name = "before " + entry;
				write(new RowName(RowKind.TOKEN, "issuer", name), "until", FAR);
				redis.primary().command("XADD", this.keys + "changes1", "*", "c", entry);
				write(new RowName(RowKind.TOKEN, "issuer", "after " + entry), "until", FAR);
				reader.look();
				assertThat(reader.feed.isFresh(System.nanoTime())).isTrue();
				assertThat(reader.feed.position()).isEqualTo(lastChange());
				assertThat(reader.memory.status(token(name))).isEqualTo(TokenStatus.REVOKED);
				assertThat(reader.memory.status(token("after " + entry))).isEqualTo(TokenStatus.REVOKED);
			}
		}
	}

	private String lastChange() {
		List<?> last = (List<?>) redis.primary().command("XREVRANGE", this.keys + "changes1", "+", "-", "COUNT", "1");
		return (String) ((List<?>) last.get(0)).get(0);
	}

	@Example
	void healthShowsThatChangesCannotBeFollowed() {
		begin();
		redis.primary().command("SET", this.keys + "changes1", "of another type", "PX", "60000");
		try (Reader reader = new Reader(RowFeed.PAGE, 1000)) {
			assertThat(reader.feed.problem()).isNull();
			reader.feed.used(System.nanoTime());
			await()
				.untilAsserted(() -> assertThat(reader.feed.problem()).contains("every check asks Redis", "WRONGTYPE"));
			redis.flushAll();
			reader.feed.wrote();
			await().until(() -> reader.feed.problem() == null);
			reader.feed.pause();
		}
	}

	@Example
	void lookEndsWhileOthersGoOnWriting() {
		begin();
		try (Reader reader = new Reader(RowFeed.PAGE, 1000)) {
			reader.look();
			for (int i = 0; i < 50; i++) {
				this.pending.add(new Write(Action.REVOKE, i % Write.NAMES));
			}
			reader.look();
			reader.look();
			assertThat(this.pending).hasSizeGreaterThan(40);
			assertThat(reader.feed.isFresh(System.nanoTime())).isTrue();
		}
	}

	private void assertKnown(Reader reader) {
		for (int i = 0; i < Write.NAMES; i++) {
			String name = "name-" + i;
			TokenStatus status = reader.memory.status(token(name));
			if (this.revoked.contains(name)) {
				assertThat(status).as("token " + i).isIn(REVOKED_OR_TO_BE_ASKED);
				assertThat(status != null || !reader.memory.isComplete()).isTrue();
			}
			else if (!this.everRevoked.contains(name)) {
				assertThat(status).as("token " + i).isNotEqualTo(TokenStatus.REVOKED);
			}
			assertThat(reader.memory.isBlocked(new RowName(RowKind.BLOCK, "list", name), System.nanoTime()))
				.as("block " + i)
				.isEqualTo(this.blocked.contains(name));
			Long earliest = this.notBefore.get(name);
			if (earliest != null) {
				assertThat(reader.memory.status(ofSubject(name, earliest))).isEqualTo(TokenStatus.SUBJECT_REVOKED);
				assertThat(reader.memory.status(ofSubject(name, earliest + 1)))
					.isNotEqualTo(TokenStatus.SUBJECT_REVOKED);
			}
		}
	}

	private static TokenIdentity token(String name) {
		return TokenIdentity.of("issuer", name, Instant.ofEpochMilli(FAR));
	}

	private static TokenIdentity ofSubject(String name, long stamp) {
		return new TokenIdentity("issuer", UUID.randomUUID().toString(), name, null, null, stamp);
	}

	@Provide
	Arbitrary<Integer> mostExact() {
		return Arbitraries.of(0, 3, 1000);
	}

	@Provide
	Arbitrary<List<Write>> schedules() {
		Arbitrary<Action> actions = Arbitraries.frequencyOf(Tuple.of(10, Arbitraries.of(Action.LOOK)),
				Tuple.of(20, Arbitraries.of(Action.REVOKE, Action.BLOCK, Action.UNBLOCK, Action.NOT_BEFORE)),
				Tuple.of(4, Arbitraries.of(Action.CUT, Action.LOSE_CHANGES, Action.PAUSE)),
				Tuple.of(1, Arbitraries.of(Action.FLUSH)));
		return Combinators.combine(actions, Arbitraries.integers().between(0, Write.NAMES - 1)).as(Write::new).list();
	}

	/**
	 * One instance writes between two scripts of another.
	 */
	private void writeNext() {
		Write write = this.pending.poll();
		if (write == null) {
			return;
		}
		String name = "name-" + write.number();
		switch (write.action()) {
			case REVOKE -> {
				write(new RowName(RowKind.TOKEN, "issuer", name), "until", FAR);
				this.everRevoked.add(name);
				this.revoked.add(name);
			}
			case BLOCK -> {
				// So that rows are removed among others of their end
				write(new RowName(RowKind.BLOCK, "list", name), "until", FAR);
				this.blocked.add(name);
			}
			case UNBLOCK -> {
				write(new RowName(RowKind.BLOCK, "list", name), "remove", 0);
				this.blocked.remove(name);
			}
			case NOT_BEFORE ->
				this.notBefore.put(name, write(new RowName(RowKind.SUBJECT, "issuer", name), "not-before", 600_000));
			case CUT -> connection.streamCommands().xTrim(key("changes1"), 1);
			case LOSE_CHANGES -> connection.keyCommands().del(key("changes1"));
			case FLUSH -> {
				connection.serverCommands().flushAll();
				this.revoked.clear();
				this.blocked.clear();
				this.notBefore.clear();
			}
			default -> {
			}
		}
	}

	private byte[] key(String name) {
		return (this.keys + name).getBytes(StandardCharsets.UTF_8);
	}

	private @Nullable Long write(RowName name, String operation, long millis) {
		List<?> reply = connection.scriptingCommands()
			.eval(change, ReturnType.MULTI, 4, key("rows1"), key("details1"), key("changes1"), key("reasons1"),
					name.member(), operation.getBytes(StandardCharsets.UTF_8),
					String.valueOf(millis).getBytes(StandardCharsets.UTF_8), "100".getBytes(StandardCharsets.UTF_8),
					"nobody".getBytes(StandardCharsets.UTF_8), new byte[0]);
		return (Long) reply.get(2);
	}

	enum Action {

		REVOKE, BLOCK, UNBLOCK, NOT_BEFORE, CUT, LOSE_CHANGES, FLUSH, LOOK, PAUSE

	}

	record Write(Action action, int number) {

		static final int NAMES = 12;

	}

	private final class Reader implements AutoCloseable {

		private final TestBackend backend = TestBackend.on(redis.connectionFactory(), UUID.randomUUID().toString(),
				(script, nanos, failure) -> onScript(script));

		private final List<String> scripts = new CopyOnWriteArrayList<>();

		private final LocalRows memory;

		private final RowFeed feed;

		private volatile Consumer<String> onScript = NOTHING;

		Reader(int page, int mostExact) {
			ServerClock clock = new ServerClock();
			RedisTokenBlacklist blacklist = new RedisTokenBlacklist(this.backend.get().redis("blacklist"),
					this.backend.get().keys("blacklist"), "nobody", CLOCKS, 100);
			this.memory = new LocalRows(clock, CLOCKS, mostExact);
			this.feed = new RowFeed(blacklist, this.memory, clock, this.backend.get().bus(), Duration.ofSeconds(30),
					page);
		}

		private void onScript(LuaScript script) {
			if (script.name().startsWith("blacklist/")) {
				this.scripts.add(script.name());
				this.onScript.accept(script.name());
				writeNext();
			}
		}

		void look() {
			// One that fell behind while it read all rows waits for the next
			this.feed.lookOnce().exceptionally((failure) -> false).join();
		}

		@Override
		public void close() {
			this.backend.close();
		}

	}

}
