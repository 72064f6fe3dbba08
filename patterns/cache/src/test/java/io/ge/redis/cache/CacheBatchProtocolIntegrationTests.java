// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import io.ge.redis.cache.internal.RedisCache;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Sized;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
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
 * Random schedules of writers of single rows and of readers of several rows at once, over
 * the real scripts and a database of three rows. Time is virtual: every step takes a
 * second.
 * <p>
 * Each row has a {@link CacheProtocolModel} of its own, of which each part of each reply
 * must be; at the end every cached value equals the database or there is none.
 */
@Sized
class CacheBatchProtocolIntegrationTests {

	private static final int ROWS = 3;

	private static final int HOLD_SECONDS = 30;

	private static final int MEMORY_SECONDS = 10_000;

	private static final int LEASE_SECONDS = 100_000;

	private static @Nullable RedisClient client;

	private static @Nullable StatefulRedisConnection<String, String> connection;

	@BeforeContainer
	static void connect() {
		client = RedisClient.create(
				RedisURI.create(SharedRedis.standalone().primary().host(), SharedRedis.standalone().primary().port()));
		connection = client.connect();
	}

	@AfterContainer
	static void disconnect() {
		connection.close();
		client.shutdown();
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	void atRestEveryRowOfTheCacheEqualsTheDatabaseOrIsEmpty(@ForAll("schedules") List<Step> schedule) {
		Run run = new Run(connection.sync());
		schedule.forEach(run::step);
		run.finish();
	}

	@Provide
	Arbitrary<List<Step>> schedules() {
		Arbitrary<Integer> choice = Arbitraries.integers().between(0, 999);
		Arbitrary<Step> step = Arbitraries.frequencyOf(
				Tuple.of(9, choice.flatMap((random) -> step("write", 0, 2, random))),
				Tuple.of(9, choice.flatMap((random) -> step("read", 0, 3, random))),
				Tuple.of(1, choice.flatMap((random) -> step("rollback", 0, 2, random))),
				Tuple.of(1, choice.flatMap((random) -> step("expire", 0, 0, random))),
				Tuple.of(1, choice.flatMap((random) -> step("overrun", 0, 0, random))));
		return step.list().ofMinSize(8).ofMaxSize(60);
	}

	private static Arbitrary<Step> step(String kind, int least, int most, int choice) {
		return Arbitraries.integers().between(least, most).map((actor) -> new Step(kind, actor, choice));
	}

	/**
	 * One step of a schedule.
	 *
	 * @param kind what happens
	 * @param actor to whom
	 * @param choice decides on which rows
	 */
	record Step(String kind, int actor, int choice) {
	}

	/**
	 * One schedule. Of the three writers the last cannot announce itself; of the four
	 * readers the last two read in a transaction with a snapshot.
	 */
	private static final class Run {

		private final RedisCommands<String, String> redis;

		private final List<CacheProtocolModel> models = new ArrayList<>();

		private final int[] database = new int[ROWS];

		private final boolean[] locked = new boolean[ROWS];

		private final Writer[] writers = { new Writer(0), new Writer(1), new Writer(2) };

		private final Reader[] readers = { new Reader(0), new Reader(1), new Reader(2), new Reader(3) };

		private final List<String> trace = new ArrayList<>();

		private long now = 1_000_000_000_000L;

		Run(RedisCommands<String, String> redis) {
			this.redis = redis;
			for (int row = 0; row < ROWS; row++) {
				redis.del(keys(row).toArray(String[]::new));
				this.models.add(new CacheProtocolModel());
			}
		}

		void step(Step step) {
			this.now += 1_000_000;
			switch (step.kind()) {
				case "write" -> write(this.writers[step.actor()], step.choice() % ROWS);
				case "rollback" -> rollback(this.writers[step.actor()]);
				case "read" -> read(this.readers[step.actor()], step.choice());
				case "expire" -> {
					int row = step.choice() % ROWS;
					this.redis.del(keys(row).get(0));
					this.models.get(row).expire();
				}
				default -> this.now += HOLD_SECONDS * 2 * 1_000_000L;
			}
		}

		private void write(Writer writer, int row) {
			switch (writer.state) {
				case 0 -> {
					if (!this.locked[row]) {
						this.locked[row] = true;
						writer.row = row;
						writer.state = 1;
					}
				}
				case 1 -> {
					if (writer.number != 2) {
						model(writer).announce(writer.id(), this.now, HOLD_SECONDS * 1_000_000L, true, false);
						call("intent.lua", writer.row, writer.id(), millis(HOLD_SECONDS), millis(MEMORY_SECONDS),
								"locked", "");
					}
					writer.state = 2;
				}
				case 2 -> {
					writer.value = "v" + ++this.database[writer.row];
					this.locked[writer.row] = false;
					writer.state = 3;
				}
				default -> {
					if (writer.number == 2) {
						model(writer).invalidate(writer.id(), this.now);
						call("invalidate.lua", writer.row, millis(MEMORY_SECONDS), "", writer.id());
					}
					else {
						String expected = model(writer).publish(writer.id(), this.now, true, writer.value);
						same(expected, call("publish.lua", writer.row, writer.id(), "locked", writer.value,
								millis(LEASE_SECONDS), millis(MEMORY_SECONDS), ""));
					}
					writer.done();
				}
			}
		}

		private void rollback(Writer writer) {
			if (writer.state == 1 || writer.state == 2) {
				if (writer.state == 2 && writer.number != 2) {
					same(model(writer).abort(writer.id()), call("abort.lua", writer.row, writer.id()));
				}
				this.locked[writer.row] = false;
				writer.done();
			}
		}

		private CacheProtocolModel model(Writer writer) {
			return this.models.get(writer.row);
		}

		// 0 idle, 1 snapshot taken, 2 answered, 3 loaded
		private void read(Reader reader, int choice) {
			switch (reader.state) {
				case 0 -> {
					reader.seen = this.database.clone();
					reader.began = this.now;
					if (reader.number < 2) {
						lookUp(reader, choice);
					}
					else {
						reader.state = 1;
					}
				}
				case 1 -> lookUp(reader, choice);
				case 2 -> {
					if (reader.number < 2) {
						reader.seen = this.database.clone();
					}
					reader.state = 3;
				}
				default -> fill(reader);
			}
		}

		private void lookUp(Reader reader, int choice) {
			List<Integer> rows = rows(choice);
			List<String> expected = new ArrayList<>();
			for (int row : rows) {
				expected.add(this.models.get(row).lookUp(reader.id(row), this.now, false, false));
			}
			List<String> replies = each("lookup.lua", rows,
					(row) -> List.of(reader.id(row), millis(LEASE_SECONDS), "", "v", "0", "0", "0"));
			same(expected, replies);
			reader.leased.clear();
			for (int i = 0; i < rows.size(); i++) {
				if (replies.get(i).equals("lease")) {
					reader.leased.add(rows.get(i));
				}
			}
			reader.state = 2;
			if (reader.leased.isEmpty()) {
				reader.done();
			}
		}

		private static List<Integer> rows(int choice) {
			List<Integer> rows = new ArrayList<>(List.of(0, 1, 2));
			Collections.shuffle(rows, new Random(choice));
			return rows.subList(0, 1 + choice % ROWS);
		}

		private void fill(Reader reader) {
			long age = (reader.number < 2) ? -1 : (this.now - reader.began) / 1000;
			List<String> expected = new ArrayList<>();
			for (int row : reader.leased) {
				expected.add(this.models.get(row).fill(reader.id(row), this.now, age * 1000, "v" + reader.seen[row]));
			}
			same(expected,
					each("fill.lua", reader.leased,
							(row) -> List.of(reader.id(row), millis(LEASE_SECONDS), "v" + reader.seen[row],
									millis(LEASE_SECONDS), String.valueOf(age), millis(MEMORY_SECONDS), "", "")));
			reader.done();
		}

		void finish() {
			for (Writer writer : this.writers) {
				while (writer.state != 0) {
					step(new Step("write", writer.number, 0));
				}
			}
			for (Reader reader : this.readers) {
				while (reader.state != 0) {
					step(new Step("read", reader.number, 0));
				}
			}
			for (int row = 0; row < ROWS; row++) {
				String entry = this.redis.get(keys(row).get(0));
				assertThat(entry).as("row %d after %s", row, this.trace).isEqualTo(this.models.get(row).entry());
				if (entry != null && !entry.startsWith("L")) {
					assertThat(entry).as("row %d stale after %s", row, this.trace).isEqualTo("v" + this.database[row]);
				}
			}
		}

		private void same(Object expected, Object actual) {
			assertThat(actual).as("after %s", this.trace).isEqualTo(expected);
		}

		private static String millis(int seconds) {
			return String.valueOf(seconds * 1000L);
		}

		private static List<String> keys(int row) {
			String entity = "b:{row" + row + "}:";
			return List.of(entity + "e1", entity + "w1", entity + "q1", entity + "r1");
		}

		private String call(String script, int row, String... arguments) {
			List<String> all = new ArrayList<>(List.of(arguments));
			all.add(String.valueOf(this.now));
			LuaScript one = RedisCache.script(script);
			List<Object> reply = this.redis.eval(withVirtualTime(one), ScriptOutputType.MULTI,
					keys(row).toArray(String[]::new), all.toArray(String[]::new));
			this.trace.add(script + " " + row + " " + arguments[0] + "=" + reply.get(0));
			return String.valueOf(reply.get(0));
		}

		private List<String> each(String script, List<Integer> rows, Arguments arguments) {
			List<String> keys = new ArrayList<>();
			List<String> all = new ArrayList<>(List.of("4"));
			for (int row : rows) {
				keys.addAll(keys(row));
				all.addAll(arguments.of(row));
				all.add(String.valueOf(this.now));
			}
			LuaScript each = RedisCache.script(script).forEach();
			return first(script, rows, this.redis.eval(withVirtualTime(each), ScriptOutputType.MULTI,
					keys.toArray(String[]::new), all.toArray(String[]::new)));
		}

		private List<String> first(String script, List<Integer> rows, List<Object> reply) {
			List<String> first = new ArrayList<>();
			for (int i = 0; i < reply.size(); i += 1 + ((Long) reply.get(i)).intValue()) {
				first.add(String.valueOf(reply.get(i + 1)));
			}
			this.trace.add(script + " " + rows + "=" + first);
			return first;
		}

		/**
		 * The real script with the one reading of time replaced by the last argument.
		 */
		private static String withVirtualTime(LuaScript script) {
			return new String(script.text(), StandardCharsets.UTF_8).replace(
					"local clock = redis.call('TIME') -- the only reading of time",
					"local clock = {0, tonumber(ARGV[#ARGV])}");
		}

	}

	/**
	 * Says what a script is called with for a row.
	 */
	@FunctionalInterface
	private interface Arguments {

		List<String> of(int row);

	}

	private static final class Writer {

		private final int number;

		private int state;

		private int round;

		private int row;

		private String value = "";

		Writer(int number) {
			this.number = number;
		}

		String id() {
			return "w" + this.number + "." + this.round;
		}

		void done() {
			this.state = 0;
			this.round++;
		}

	}

	private static final class Reader {

		private final int number;

		private final List<Integer> leased = new ArrayList<>();

		private int state;

		private int round;

		private long began;

		private int[] seen = {};

		Reader(int number) {
			this.number = number;
		}

		String id(int row) {
			return "r" + this.number + "." + this.round + "." + row;
		}

		void done() {
			this.state = 0;
			this.round++;
		}

	}

}
