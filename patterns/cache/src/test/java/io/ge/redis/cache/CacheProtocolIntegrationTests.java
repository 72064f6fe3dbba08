// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.ge.redis.cache.internal.RedisCache;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Sized;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random schedules of readers and writers over the real scripts and a database of one
 * row. Time is virtual: every step takes a second, and values come near their expiry, or
 * beyond it, in steps of their own.
 * <p>
 * Each reply is compared with that of {@link CacheProtocolModel}, and at the end, when
 * everybody is done or dead, the cached value equals the database or there is none.
 */
@Sized
class CacheProtocolIntegrationTests {

	private static final String[] KEYS = { "m:{row}:e1", "m:{row}:w1", "m:{row}:q1", "m:{row}:r1" };

	private static final String INVALIDATIONS = "m:news changed row";

	private static final int HOLD_SECONDS = 30;

	private static final int MEMORY_SECONDS = 10_000;

	private static final int LEASE_SECONDS = 100_000;

	/** How long values are kept beyond their expiry. */
	private static final int KEPT_MILLIS = 0x000F4240;

	/** A load time of which three lie between this and the expiry. */
	private static final int LOAD_MILLIS = 0x00400000;

	private static final int LEAD = 3000;

	private static final String END = "\0".repeat(8);

	private static @Nullable RedisClient client;

	private static @Nullable StatefulRedisConnection<String, String> connection;

	@BeforeContainer
	static void connect() {
		client = RedisClient.create(
				RedisURI.create(SharedRedis.standalone().primary().host(), SharedRedis.standalone().primary().port()));
		connection = client.connect(new StringCodec(StandardCharsets.ISO_8859_1));
	}

	@AfterContainer
	static void disconnect() {
		connection.close();
		client.shutdown();
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	void atRestTheCacheEqualsTheDatabaseOrIsEmpty(@ForAll("schedules") List<Step> schedule) {
		Run run = new Run(connection.sync());
		schedule.forEach(run::step);
		run.finish();
	}

	@Example
	void writerWithoutLockThatPublishesTooLateOutdatesWhoCameAfterIt() {
		Run run = new Run(connection.sync());
		run.go(0, 3);
		run.step(new Step("overrun", 0));
		run.go(0, 0, 3, 3, 0);
		run.finish();
	}

	@Example
	void writerWithoutLockThatDiedOutdatesWhoCameBesideIt() {
		Run run = new Run(connection.sync());
		run.go(3);
		run.wait(24);
		run.go(1, 1, 1, 3);
		run.step(new Step("crash", 3));
		run.wait(3);
		run.go(1);
		run.finish();
	}

	@Provide
	Arbitrary<List<Step>> schedules() {
		Arbitrary<Step> step = Arbitraries.frequencyOf(
				Tuple.of(20, Arbitraries.integers().between(0, 11).map((actor) -> new Step("go", actor))),
				Tuple.of(2, Arbitraries.of(0, 1, 2, 9).map((actor) -> new Step("rollback", actor))),
				Tuple.of(1, Arbitraries.of(0, 1, 2, 3, 8, 9).map((actor) -> new Step("crash", actor))),
				Tuple.of(2, Arbitraries.integers().between(4, 7).map((actor) -> new Step("fail", actor))),
				Tuple.of(1, Arbitraries.integers().between(4, 7).map((actor) -> new Step("give up", actor))),
				Tuple.of(1, Arbitraries.integers().between(4, 7).map((actor) -> new Step("discard", actor))),
				Tuple.of(2, Arbitraries.just(new Step("expire", 0))),
				Tuple.of(3, Arbitraries.just(new Step("come near expiry", 0))),
				Tuple.of(3, Arbitraries.just(new Step("outlive expiry", 0))),
				Tuple.of(1, Arbitraries.just(new Step("refresh ends", 0))),
				Tuple.of(1, Arbitraries.just(new Step("overrun", 0))),
				Tuple.of(1, Arbitraries.just(new Step("prolong", 3))));
		return step.list().ofMinSize(8).ofMaxSize(60);
	}

	/**
	 * One step of a schedule.
	 *
	 * @param kind what happens
	 * @param actor to whom
	 */
	record Step(String kind, int actor) {
	}

	/**
	 * One schedule. Actors 0 to 2 are writers in a transaction, of which 2 cannot
	 * announce itself; 3 is a writer without a transaction; 4 and 5 are readers, of which
	 * 5 has no use for what has expired; 6 and 7 are readers in a transaction with a
	 * snapshot; 8 and 9 are as 3 and 0; 10 and 11 are readers that share their leases, of
	 * which 11 may bring a change.
	 */
	private static final class Run {

		private static final int OBJECTS = 12;

		private final RedisCommands<String, String> redis;

		private final CacheProtocolModel model = new CacheProtocolModel();

		private final int[] state = new int[OBJECTS];

		private final int[] round = new int[OBJECTS];

		private final int[] seen = new int[OBJECTS];

		private final long[] began = new long[OBJECTS];

		private final long[] announced = new long[OBJECTS];

		/** Of readers, with what they were shown of the writers. */
		private final String[] token = new String[OBJECTS];

		private final String[] shown = new String[OBJECTS];

		private List<Object> reply = List.of();

		private final List<String> trace = new ArrayList<>();

		private int database;

		private int lockedBy = -1;

		private long now = 1_000_000_000_000L;

		Run(RedisCommands<String, String> redis) {
			this.redis = redis;
			redis.del(KEYS);
		}

		void step(Step step) {
			this.now += 1_000_000;
			int actor = step.actor();
			switch (step.kind()) {
				case "go" -> act(actor);
				case "rollback" -> rollback(actor);
				case "crash" -> crash(actor);
				case "prolong" -> {
					if (this.state[actor] == 1 || this.state[actor] == 2) {
						announce(actor, true);
					}
				}
				case "fail" -> free(actor, true, false);
				case "give up" -> free(actor, false, false);
				case "discard" -> free(actor, false, true);
				case "expire" -> {
					this.redis.del(KEYS[0]);
					this.model.expire();
				}
				case "come near expiry" -> age(KEPT_MILLIS + 2 * LOAD_MILLIS, false);
				case "outlive expiry" -> age(KEPT_MILLIS / 2, true);
				case "refresh ends" -> {
					this.redis.del(KEYS[3]);
					this.model.refreshEnds();
				}
				default -> this.now += HOLD_SECONDS * 2 * 1_000_000L;
			}
		}

		private void age(long left, boolean beyond) {
			String entry = entry();
			if (entry != null && !entry.startsWith("L")) {
				this.redis.pexpire(KEYS[0], Math.min(left, this.redis.pttl(KEYS[0])));
			}
			this.model.age(beyond);
		}

		void go(int... actors) {
			for (int actor : actors) {
				step(new Step("go", actor));
			}
		}

		void wait(int seconds) {
			for (int i = 0; i < seconds; i++) {
				step(new Step("expire", 0));
			}
		}

		private void act(int actor) {
			if (isLocking(actor)) {
				writeInTransaction(actor);
			}
			else if (actor == 3 || actor == 8) {
				write(actor);
			}
			else {
				read(actor);
			}
		}

		private static boolean isLocking(int actor) {
			return actor <= 2 || actor == 9;
		}

		private static boolean isOpen(int actor) {
			return actor >= 10;
		}

		private static boolean hasSnapshot(int actor) {
			return actor == 6 || actor == 7;
		}

		// 0 idle, 1 row locked and changed, 2 announced, 3 committed
		private void writeInTransaction(int actor) {
			switch (this.state[actor]) {
				case 0 -> {
					if (this.lockedBy < 0) {
						this.lockedBy = actor;
						this.state[actor] = 1;
					}
				}
				case 1 -> {
					if (actor != 2) {
						announce(actor, false);
					}
					this.state[actor] = 2;
				}
				case 2 -> {
					this.seen[actor] = ++this.database;
					this.lockedBy = -1;
					this.state[actor] = 3;
				}
				default -> {
					if (actor == 2) {
						invalidate(actor);
					}
					else {
						publish(actor, true);
					}
					done(actor);
				}
			}
		}

		// 0 idle, 1 announced, 2 changed
		private void write(int actor) {
			switch (this.state[actor]) {
				case 0 -> {
					announce(actor, false);
					this.state[actor] = 1;
				}
				case 1 -> {
					if (this.lockedBy < 0) {
						this.seen[actor] = ++this.database;
						this.state[actor] = 2;
					}
				}
				default -> {
					publish(actor, false);
					done(actor);
				}
			}
		}

		// 0 idle, 1 snapshot taken, 2 leased, 3 loaded
		private void read(int actor) {
			switch (this.state[actor]) {
				case 0 -> {
					if (hasSnapshot(actor)) {
						this.began[actor] = this.now;
						this.seen[actor] = this.database;
						this.state[actor] = 1;
					}
					else {
						lookUp(actor);
					}
				}
				case 1 -> lookUp(actor);
				case 2 -> {
					if (!hasSnapshot(actor)) {
						this.seen[actor] = this.database;
					}
					this.state[actor] = 3;
				}
				default -> {
					fill(actor);
					done(actor);
				}
			}
		}

		private void free(int actor, boolean failed, boolean discard) {
			if (this.state[actor] == 2 || this.state[actor] == 3) {
				same("free", this.model.free(id(actor), failed, discard), call("free.lua", id(actor),
						(failed || discard) ? millis(LEASE_SECONDS) : "0", discard ? "1" : "0"));
				done(actor);
			}
		}

		private void rollback(int actor) {
			if (isLocking(actor) && (this.state[actor] == 1 || this.state[actor] == 2)) {
				if (actor != 2 && this.state[actor] == 2) {
					same("abort", this.model.abort(id(actor)), call("abort.lua", id(actor)));
				}
				this.lockedBy = -1;
				done(actor);
			}
		}

		// Whoever overran its time and dies after its commit is the one case that only
		// the
		// TTL ends; so is a writer that could not announce itself and dies
		private void crash(int actor) {
			boolean inTime = this.now - this.announced[actor] < HOLD_SECONDS * 1_000_000L;
			boolean committed = this.state[actor] == (isLocking(actor) ? 3 : 2);
			if (this.state[actor] == 0 || (committed && (!inTime || actor == 2))) {
				return;
			}
			if (this.lockedBy == actor) {
				this.lockedBy = -1;
			}
			done(actor);
		}

		void finish() {
			// Who holds the lock first, since others wait for it
			if (this.lockedBy >= 0) {
				finish(this.lockedBy);
			}
			for (int actor = 0; actor < OBJECTS; actor++) {
				finish(actor);
			}
			this.now += HOLD_SECONDS * 2 * 1_000_000L;
			String entry = entry();
			assertThat(this.redis.get(KEYS[3])).as("refresher after %s", this.trace).isEqualTo(this.model.refresher());
			assertThat(entry).as("model and Redis after %s", this.trace).isEqualTo(this.model.entry());
			if (entry != null && !entry.startsWith("L")) {
				assertThat(entry).as("stale at rest after %s", this.trace).isEqualTo(value(this.database));
			}
			for (String key : KEYS) {
				assertThat(this.redis.pttl(key)).as("TTL of %s", key).isNotEqualTo(-1);
			}
		}

		private void finish(int actor) {
			while (this.state[actor] != 0) {
				step(new Step("go", actor));
			}
		}

		private void announce(int actor, boolean prolong) {
			this.announced[actor] = this.now;
			boolean locked = isLocking(actor);
			this.model.announce(id(actor), this.now, HOLD_SECONDS * 1_000_000L, locked, prolong);
			call("intent.lua", id(actor), millis(HOLD_SECONDS), millis(MEMORY_SECONDS),
					locked ? "locked" : (prolong ? "prolong" : "unlocked"), INVALIDATIONS);
		}

		private void publish(int actor, boolean locked) {
			String value = value(this.seen[actor]);
			same("publish", this.model.publish(id(actor), this.now, locked, value),
					call("publish.lua", id(actor), locked ? "locked" : "unlocked", value, millis(LEASE_SECONDS),
							millis(MEMORY_SECONDS), INVALIDATIONS));
		}

		private void invalidate(int actor) {
			this.model.invalidate(id(actor), this.now);
			call("invalidate.lua", millis(MEMORY_SECONDS), INVALIDATIONS, id(actor));
		}

		private void lookUp(int actor) {
			boolean refreshing = actor < 6;
			boolean usesExpired = actor != 5;
			String reply = this.model.lookUp(id(actor), this.now, refreshing, usesExpired);
			same("lookup", reply, call("lookup.lua", id(actor), millis(LEASE_SECONDS), "channel cache 1", "v", "0",
					refreshing ? String.valueOf(LEAD) : "0", usesExpired ? "2" : "0"));
			if (reply.equals("lease") || reply.equals("refresh")) {
				this.state[actor] = 2;
				this.token[actor] = id(actor);
				if (isOpen(actor)) {
					this.token[actor] = (String) Objects.requireNonNullElse(this.reply.get(3), id(actor));
					this.shown[actor] = (String) this.reply.get(4);
					same("token", this.model.token(), this.token[actor]);
				}
			}
			else {
				done(actor);
			}
		}

		private void fill(int actor) {
			long age = hasSnapshot(actor) ? (this.now - this.began[actor]) / 1000 : -1;
			String value = value(this.seen[actor]);
			boolean loaded = actor == 10;
			same("fill", this.model.fill(id(actor), this.token[actor], loaded, this.now, age * 1000, value),
					call("fill.lua", this.token[actor], millis(LEASE_SECONDS), value, millis(LEASE_SECONDS),
							String.valueOf(age), millis(MEMORY_SECONDS), INVALIDATIONS,
							loaded ? this.shown[actor] : ""));
		}

		private void same(String what, String expected, String actual) {
			assertThat(actual).as("%s after %s", what, this.trace).isEqualTo(expected);
		}

		private String id(int actor) {
			return (isOpen(actor) ? "~a" : "a") + actor + "." + this.round[actor];
		}

		private void done(int actor) {
			this.state[actor] = 0;
			this.round[actor]++;
		}

		/** Without the end, which the scripts write into a value. */
		private @Nullable String entry() {
			String entry = this.redis.get(KEYS[0]);
			return (entry == null || entry.startsWith("L")) ? entry
					: entry.substring(0, 22) + END + entry.substring(22 + END.length());
		}

		/** Begins as a reader expects it, and tells the scripts what they look at. */
		private static String value(int number) {
			StringBuilder value = new StringBuilder("value ");
			for (int millis : List.of(LOAD_MILLIS, KEPT_MILLIS)) {
				for (int shift = 24; shift >= 0; shift -= 8) {
					value.append((char) (millis >>> shift & 0xFF));
				}
			}
			return value.append("as of it").append(END).append(number).toString();
		}

		private static String millis(int seconds) {
			return String.valueOf(seconds * 1000L);
		}

		private String call(String script, String... arguments) {
			List<String> all = new ArrayList<>(List.of(arguments));
			all.add(String.valueOf(this.now));
			List<Object> reply = this.redis.eval(Scripts.withVirtualTime(script), ScriptOutputType.MULTI, KEYS,
					all.toArray(String[]::new));
			this.reply = reply;
			boolean refresh = "hit".equals(reply.get(0)) && (Long) reply.get(3) == 1;
			String told = refresh ? "refresh" : String.valueOf(reply.get(0));
			this.trace.add(script + arguments[0] + "=" + told);
			return told;
		}

	}

	/**
	 * The real scripts with the one reading of time replaced by their last argument.
	 */
	private static final class Scripts {

		static String withVirtualTime(String name) {
			String text = new String(RedisCache.script(name).text(), StandardCharsets.UTF_8);
			String real = "local clock = redis.call('TIME') -- the only reading of time";
			assertThat(List.of("abort.lua", "free.lua").contains(name) || text.contains(real)).isTrue();
			return text.replace(real, "local clock = {0, tonumber(ARGV[#ARGV])}");
		}

	}

}
