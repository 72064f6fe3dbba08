// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The scripts against a model of them, step by step, over random schedules of three
 * instances. Time passes in steps that are far longer than a test: the idle times of what
 * is pending are set.
 */
@Sized
class StreamScriptsModelIntegrationTests {

	private static final String STREAM = "work";

	private static final String DEAD = "ge:stream:{work}:dead";

	private static final List<String> KEYS = List.of(STREAM, DEAD, "ge:stream:{work}:b:");

	private static final int MAX_LENGTH = 8;

	private static final int DELIVERIES = 3;

	/** One step of time, in milliseconds. */
	private static final long STEP = 1_000_000;

	private static final long MIN_IDLE = 3 * STEP;

	/** Of so many bytes, a message counts each lost reply. */
	private static final int LARGE = 30;

	private static final long FIRST_PAUSE = STEP;

	private static final long LONGEST_PAUSE = 4 * STEP;

	private static final long DUE = 2_592_000_000L;

	private static StandaloneRedis redis;

	@BeforeContainer
	static void start() {
		redis = RedisServers.standalone();
	}

	@AfterContainer
	static void stop() {
		redis.close();
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	void scriptsDoWhatTheModelDoes(@ForAll("schedules") List<Step> schedule) {
		new Run("", "").play(schedule);
	}

	/**
	 * Each rule broken once, to see that the schedules reach it.
	 */
	@Wide
	@Example
	void brokenRulesAreNoticed() {
		List<String[]> broken = List.of(
				new String[] { "give(keys, entry[1], deliveries, found[2], length)",
						"redis.call('XACK', keys.stream, group, entry[1])" },
				new String[] { "all = take_again(keys)\n    end", "end" },
				new String[] { "counts and entry[4] >= most_deliveries", "counts and entry[4] > most_deliveries" },
				new String[] { "length > large and entry[3] >= TOGETHER", "false" },
				new String[] { "if given > 0 and length > bytes then", "if false then" },
				new String[] { "if reply[1] == '' then\n    dead = dead + 1", "if reply[1] == '' then" },
				new String[] { "'dead', body_of(fields)", "'done', body_of(fields)" },
				new String[] { "if fields['name'] ~= RETRY and fields['pending'] > 0 then", "if false then" },
				new String[] { "if not pending or pending[4] ~= deliveries then", "if not pending then" },
				new String[] { "hand_over(stream, id, 0, deliveries - 1)", "hand_over(stream, id, 0, deliveries)" },
				new String[] { "if spare < over and not drops then", "if false then" },
				new String[] { "bound, id, rest = '(' .. pending[1], pending[1], idle - pending[3]", "" },
				new String[] { "'IDLE', DUE - pause,", "'IDLE', DUE," });
		for (String[] fault : broken) {
			assertThatExceptionOfType(AssertionError.class).as(fault[0]).isThrownBy(() -> {
				for (long seed = 0; seed < 300; seed++) {
					new Run(fault[0], fault[1]).play(Step.random(new Random(seed)));
				}
			});
		}
	}

	@Provide
	Arbitrary<List<Step>> schedules() {
		return Combinators
			.combine(Arbitraries.of(Action.class), Arbitraries.integers().between(0, 2),
					Arbitraries.integers().between(1, 5))
			.as(Step::new)
			.list()
			.ofMinSize(5)
			.ofMaxSize(50);
	}

	enum Action {

		PUBLISH, PUBLISH_AGAIN, TAKE, TAKE_AND_LOOK, TAKE_AND_MISS_THE_REPLY, READ, READ_AND_MISS_THE_REPLY,
		ACKNOWLEDGE, DONE, RETRY, REJECT, RELEASE, STALE, HEARTBEAT, TIME_PASSES

	}

	record Step(Action action, int instance, int amount) {

		static List<Step> random(Random random) {
			List<Step> steps = new ArrayList<>();
			for (int i = 0; i < 90; i++) {
				Action[] actions = Action.values();
				// More of what fills the stream, and makes deliveries that are not the
				// first
				Action action = switch (random.nextInt(7)) {
					case 0 -> Action.TIME_PASSES;
					case 1 -> Action.TAKE_AND_LOOK;
					case 2 -> Action.PUBLISH;
					default -> actions[random.nextInt(actions.length)];
				};
				steps.add(new Step(action, random.nextInt(3), 1 + random.nextInt(5)));
			}
			return steps;
		}

	}

	/** A message, which was not read while it has no holder. */
	private static final class Message {

		private final String id;

		private String holder = "";

		private int deliveries;

		private long idle;

		private boolean over;

		/** Whether its holder does not know that it has it. */
		private boolean missed;

		private boolean present = true;

		private final int length;

		Message(String id, int length) {
			this.id = id;
			this.length = length;
		}

		boolean isUnread() {
			return this.holder.isEmpty() && !this.over;
		}

		boolean isHeldBy(String consumer) {
			return !this.over && this.holder.equals(consumer);
		}

		void hold(String consumer, int deliveries, long idle) {
			this.holder = consumer;
			this.deliveries = deliveries;
			this.idle = idle;
			this.missed = false;
		}

	}

	private static final class Run {

		private final String publish;

		private final String take;

		private final String settle;

		private final List<Message> messages = new ArrayList<>();

		private int dead;

		/** Of the present take. */
		private int most;

		private int bytes;

		private int published;

		Run(String right, String wrong) {
			String publish = text("publish.lua");
			String take = text("take.lua");
			String settle = text("settle.lua");
			assertThat(publish + take + settle).contains(right);
			this.publish = right.isEmpty() ? publish : publish.replace(right, wrong);
			this.settle = right.isEmpty() ? settle : settle.replace(right, wrong);
			this.take = (right.isEmpty() ? take : take.replace(right, wrong)).replace("--[[script]]", this.settle)
				.replace("TOGETHER = 100", "TOGETHER = " + STEP / 2);
		}

		void play(List<Step> schedule) {
			redis.primary().command("FLUSHALL");
			for (Step step : schedule) {
				String consumer = "instance-" + step.instance();
				switch (step.action()) {
					case PUBLISH -> publish(String.valueOf(++this.published));
					case PUBLISH_AGAIN -> publish(String.valueOf(Math.max(1, this.published)));
					case TAKE -> take(consumer, step.amount(), false, false);
					case TAKE_AND_LOOK -> take(consumer, step.amount(), true, false);
					case TAKE_AND_MISS_THE_REPLY -> take(consumer, step.amount(), false, true);
					case READ -> read(consumer, step.amount(), false);
					case READ_AND_MISS_THE_REPLY -> read(consumer, step.amount(), true);
					case ACKNOWLEDGE -> acknowledge(consumer, step.amount());
					case DONE, RETRY, REJECT, RELEASE -> settle(step.action(), consumer, step.amount(), 0);
					case STALE -> settle(Action.DONE, consumer, step.amount(), 1);
					case HEARTBEAT -> heartbeat(consumer);
					case TIME_PASSES -> pass(step.amount() * STEP);
				}
				compare();
			}
		}

		private void publish(String key) {
			String dedup = "ge:stream:{work}:d:" + key;
			boolean known = redis.primary().command("GET", dedup) != null;
			Message first = this.messages.stream().filter((each) -> each.present).findFirst().orElse(null);
			long length = this.messages.stream().filter((each) -> each.present).count();
			String text = key + "x".repeat(Integer.parseInt(key) % 4 * 10);
			boolean full = length >= MAX_LENGTH && first != null && !first.over;
			List<Object> reply = eval(this.publish, List.of(STREAM, dedup, STREAM), MAX_LENGTH, "reject", 3_600_000,
					3_600_000, -1, "", "", 1, "crew", MIN_IDLE, 0, key, "", 2, "trigger", text);
			assertThat(reply.get(0)).isEqualTo(known ? "duplicate" : full ? "full" : "ok");
			if (!known && !full) {
				if (length >= MAX_LENGTH && first != null) {
					first.present = false;
				}
				this.messages.add(new Message(String.valueOf(reply.get(1)), "trigger".length() + text.length()));
			}
		}

		private void take(String consumer, int most, boolean looks, boolean misses) {
			List<String> expected = new ArrayList<>();
			int deadBefore = this.dead;
			this.most = most;
			this.bytes = 25 * (6 - most);
			List<Object> arguments = new ArrayList<>(List.of("crew", consumer, 1000, 3_600_000, most, looks ? "1" : "0",
					MIN_IDLE, DELIVERIES, "0", Integer.MAX_VALUE, this.bytes, LARGE, "0"));
			pending(consumer).filter((each) -> !each.missed).forEach((each) -> arguments.add(STREAM + " " + each.id));
			pending(consumer).filter((each) -> each.missed)
				.toList()
				.forEach((each) -> takeOver(consumer, each, each.length > LARGE && each.idle > 0, expected));
			takeIdle(consumer, "~retry", DUE, expected);
			if (looks) {
				for (int i = 0; i < 3; i++) {
					takeIdle(consumer, "instance-" + i, MIN_IDLE, expected);
				}
			}
			for (Message each : this.messages) {
				if (each.isUnread() && each.present) {
					give(consumer, each, 1, expected);
				}
			}
			List<Object> reply = eval(this.take, KEYS, arguments.toArray());
			List<String> given = new ArrayList<>();
			int next = 7;
			for (long i = 0; i < (Long) reply.get(6); i++) {
				given.add(reply.get(next) + " " + reply.get(next + 1));
				next += 4 + ((Long) reply.get(next + 2)).intValue();
			}
			assertThat(given).isEqualTo(expected);
			assertThat(reply.get(0)).as("dead letters").isEqualTo((long) this.dead - deadBefore);
			if (misses) {
				this.messages.stream()
					.filter((each) -> expected.contains(each.id + " " + each.deliveries))
					.forEach((each) -> each.missed = true);
			}
		}

		/** Without a script. */
		private void read(String consumer, int most, boolean misses) {
			List<Object> read = eval("""
					local found = redis.pcall('XREADGROUP', 'GROUP', 'crew', ARGV[1], 'COUNT', ARGV[2], 'STREAMS',
						KEYS[1], '>')
					if found and found.err then
					  return {found.err}
					end
					local ids = {}
					for _, entry in ipairs(found and found[1][2] or {}) do
					  ids[#ids + 1] = entry[1]
					end
					return ids
					""", List.of(STREAM), consumer, most);
			if (read.toString().startsWith("[NOGROUP")) {
				return;
			}
			List<Object> expected = new ArrayList<>();
			this.messages.stream().filter((each) -> each.isUnread() && each.present).limit(most).forEach((each) -> {
				each.hold(consumer, 1, 0);
				each.missed = misses;
				expected.add(each.id);
			});
			assertThat(read).isEqualTo(expected);
		}

		/** Without a script, and twice as after a reply that was lost. */
		private void acknowledge(String consumer, int number) {
			List<Message> held = pending(consumer).filter((each) -> !each.missed).toList();
			if (!held.isEmpty()) {
				Message message = held.get(number % held.size());
				message.over = true;
				assertThat(redis.primary().command("XACK", STREAM, "crew", message.id)).isEqualTo(1L);
				assertThat(redis.primary().command("XACK", STREAM, "crew", message.id)).isEqualTo(0L);
			}
		}

		private void takeIdle(String consumer, String holder, long idle, List<String> expected) {
			pending(holder).filter((each) -> each.idle >= idle)
				.filter((each) -> each.missed || !holder.equals(consumer))
				.toList()
				.forEach((each) -> takeOver(consumer, each, true, expected));
		}

		private void takeOver(String consumer, Message message, boolean counts, List<String> given) {
			if (given.size() < this.most && counts && message.deliveries >= DELIVERIES) {
				message.over = true;
				this.dead++;
				return;
			}
			give(consumer, message, message.deliveries + (counts ? 1 : 0), given);
		}

		/** Nothing is given any more after a message that does not fit. */
		private void give(String consumer, Message message, int deliveries, List<String> given) {
			if (given.size() < this.most && !given.isEmpty() && message.length > this.bytes) {
				this.most = given.size();
			}
			if (given.size() < this.most) {
				this.bytes -= message.length;
				message.hold(consumer, deliveries, 0);
				given.add(message.id + " " + deliveries);
			}
		}

		private static long pause(int deliveries) {
			return Math.min(LONGEST_PAUSE, FIRST_PAUSE << (Math.max(deliveries, 1) - 1));
		}

		private Stream<Message> pending(String holder) {
			return this.messages.stream().filter((each) -> each.isHeldBy(holder));
		}

		/** Settles what a consumer has, of an earlier delivery if that is said. */
		private void settle(Action action, String consumer, int number, int earlier) {
			List<Message> held = pending(consumer).filter((each) -> !each.missed).toList();
			if (held.isEmpty()) {
				return;
			}
			Message message = held.get(number % held.size());
			int deliveries = message.deliveries - earlier;
			String outcome = switch (action) {
				case RETRY -> "retry";
				case REJECT -> "dead";
				case RELEASE -> "release";
				default -> "done";
			};
			List<Object> reply = settle(message, consumer, deliveries, outcome);
			assertThat(reply.size() - 2).as("lost").isEqualTo((earlier > 0) ? 1 : 0);
			if (earlier > 0) {
				return;
			}
			switch (action) {
				case RETRY -> message.hold("~retry", message.deliveries, DUE - pause(message.deliveries));
				case RELEASE -> message.hold("~retry", message.deliveries - 1, DUE);
				case REJECT -> {
					message.over = true;
					this.dead++;
				}
				default -> message.over = true;
			}
			// A second time, as after a reply that was lost
			settle(message, consumer, deliveries, outcome);
		}

		private List<Object> settle(Message message, String consumer, int deliveries, String outcome) {
			return eval(this.settle, KEYS, "crew", consumer, 1000, 3_600_000, "", 1, message.id, deliveries, outcome,
					outcome.equals("retry") ? pause(deliveries) : "", 0);
		}

		private void heartbeat(String consumer) {
			List<Object> arguments = new ArrayList<>(List.of("crew", consumer, 1000, 3_600_000, ""));
			List<Message> all = this.messages.stream().filter((each) -> !each.over && !each.isUnread()).toList();
			long lost = 0;
			for (Message each : all) {
				arguments.addAll(List.of(1, each.id, each.deliveries, "extend", "", 0));
				if (each.isHeldBy(consumer)) {
					each.idle = 0;
				}
				else {
					lost++;
				}
			}
			assertThat(eval(this.settle, KEYS, arguments.toArray())).hasSize(2 + (int) lost);
		}

		private void pass(long millis) {
			for (Message each : this.messages) {
				if (!each.over && !each.isUnread()) {
					each.idle += millis;
					redis.primary()
						.command("XCLAIM", STREAM, "crew", each.holder, "0", each.id, "IDLE", String.valueOf(each.idle),
								"RETRYCOUNT", String.valueOf(each.deliveries), "JUSTID");
				}
			}
		}

		/** Nobody has lost anything, and nothing is pending that should not be. */
		private void compare() {
			TreeMap<String, String> expected = new TreeMap<>();
			for (Message each : this.messages) {
				if (!each.over && !each.isUnread()) {
					expected.put(each.id, each.holder + " " + each.deliveries);
				}
				assertThat(each.over || each.present).isTrue();
			}
			TreeMap<String, String> found = new TreeMap<>();
			List<Object> pending = eval("""
					local found = redis.pcall('XPENDING', KEYS[1], 'crew', '-', '+', 1000)
					local reply = {}
					for _, entry in ipairs(found.err and {} or found) do
					  reply[#reply + 1] = entry[1]
					  reply[#reply + 1] = entry[2] .. ' ' .. entry[4]
					end
					return reply
					""", List.of(STREAM));
			for (int i = 0; i < pending.size(); i += 2) {
				found.put(String.valueOf(pending.get(i)), String.valueOf(pending.get(i + 1)));
			}
			assertThat(found).isEqualTo(expected);
			assertThat(redis.primary().command("XLEN", DEAD)).isEqualTo((long) this.dead);
			assertThat(redis.primary().command("XLEN", STREAM))
				.isEqualTo(this.messages.stream().filter((each) -> each.present).count());
		}

		private static List<Object> eval(String script, List<String> keys, Object... arguments) {
			List<String> command = new ArrayList<>(List.of("EVAL", script, "" + keys.size()));
			command.addAll(keys);
			for (Object argument : arguments) {
				command.add(argument.toString());
			}
			return new ArrayList<>((List<?>) redis.primary().command(command.toArray(String[]::new)));
		}

		private static String text(String name) {
			try (InputStream stream = StreamPublisher.class.getResourceAsStream(name)) {
				return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
