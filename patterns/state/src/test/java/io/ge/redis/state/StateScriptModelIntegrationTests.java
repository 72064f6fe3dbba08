// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.ge.redis.core.script.LuaScript;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts of a workspace against a model in memory, in random traces at random times:
 * versions, operations that are sent again, and the feed are those of the model.
 */
@Sized
class StateScriptModelIntegrationTests {

	private static final int STEPS = 40;

	/** Some operations are forgotten in the course of a trace. */
	private static final int KEPT = 4;

	private static final int FORGOTTEN = 3;

	private static final int LONGEST = 4;

	private static final long TTL = 60_000_000;

	private static final long MEMBER = 5000;

	private static final long CLOCK_MILLIS = 1000;

	private static final String ROOT = "{session:m}:";

	private static final List<String> KEYS = Stream
		.of("workspace", "workspace:meta", "workspace:changes", "workspace:operations", "directory:agents",
				"agent:A:memory")
		.map(ROOT::concat)
		.toList();

	private static final List<String> NAMES = List.of("a", "b", "c", "a.b", "list");

	private static StandaloneRedis redis;

	private long nowMillis;

	private long version;

	private final Map<String, Entry> fields = new HashMap<>();

	private final Map<String, String> memory = new HashMap<>();

	/** Also those that are forgotten. */
	private final Map<String, Applied> operations = new HashMap<>();

	private final List<Applied> feed = new ArrayList<>();

	/** When agents in the directory were seen last. */
	private final Map<String, Long> seen = new TreeMap<>();

	@BeforeContainer
	static void start() {
		redis = RedisServers.standalone();
	}

	@AfterContainer
	static void stop() {
		redis.close();
	}

	@Example
	void aRetryIsUnknownWhileItsIdMayBeForgotten() {
		forget();
		this.nowMillis = 1_800_000_000_000L;
		for (int i = 0; i < KEPT + FORGOTTEN; i++) {
			assertThat(retry("o" + i, 1)).startsWith("ok");
		}
		assertThat(retry("o0", 1)).startsWith("ok", "1");
		assertThat(retry("next", 0)).startsWith("ok");
		assertThat(retry("o" + FORGOTTEN, 1)).startsWith("ok", String.valueOf(FORGOTTEN + 1));
		assertThat(retry("o0", 1)).containsExactly("unknown");
		// Clocks may differ by a second
		this.nowMillis += CLOCK_MILLIS;
		assertThat(retry("new", 1)).containsExactly("unknown");
		this.nowMillis++;
		assertThat(retry("new", 1)).startsWith("ok");
	}

	private List<String> retry(String operation, long age) {
		return run("change", operation, age, TTL, MEMBER, KEPT, LONGEST, "", "hash", "append", "list", "", "1");
	}

	@Property(shrinking = ShrinkingMode.OFF)
	void repliesAreThoseOfTheModel(@ForAll long seed) {
		Random random = new Random(seed);
		forget();
		this.nowMillis = 1_800_000_000_000L;
		// In quick traces what is sent again has been forgotten meanwhile
		List<Integer> pauses = random.nextBoolean() ? List.of(0, 1, 50, 900, 5000) : List.of(0, 1, 5, 20, 100);
		for (int step = 0; step < STEPS; step++) {
			this.nowMillis += pauses.get(random.nextInt(5));
			switch (random.nextInt(10)) {
				case 0 -> remember(random);
				case 3 -> join(random);
				case 1 -> {
					look();
					assertThat(run("agents", "list", "", TTL, MEMBER, "", "")).isEqualTo(members());
				}
				case 2 -> read(random);
				default -> change(random, step);
			}
			switch (random.nextInt(200)) {
				case 0 -> forget();
				case 1, 2 -> evict();
			}
			assertThat(redis.primary().command("ZCARD", KEYS.get(4))).isEqualTo((long) this.seen.size());
		}
		look();
	}

	/**
	 * All keys expire.
	 */
	private void forget() {
		redis.flushAll();
		// One instance of this class plays all traces
		this.fields.clear();
		this.memory.clear();
		this.operations.clear();
		this.feed.clear();
		this.seen.clear();
		this.version = 0;
	}

	/**
	 * Redis needs memory, and drops what it knows of operations.
	 */
	private void evict() {
		redis.primary().command("DEL", KEYS.get(2), KEYS.get(3));
		this.feed.clear();
		if (this.version > 0) {
			assertThat(retry("lost", 1)).containsExactly("unknown");
		}
	}

	private void join(Random random) {
		String agent = List.of("A", "B", "C").get(random.nextInt(3));
		see(agent);
		assertThat(run("agents", "join", agent, TTL, MEMBER, "", "")).isEqualTo(members());
	}

	private void see(String agent) {
		this.seen.values().removeIf((millis) -> millis <= this.nowMillis - MEMBER);
		this.seen.put(agent, this.nowMillis);
	}

	private List<String> members() {
		return this.seen.entrySet()
			.stream()
			.filter((agent) -> agent.getValue() > this.nowMillis - MEMBER)
			.sorted(Map.Entry.comparingByValue())
			.map(Map.Entry::getKey)
			.toList();
	}

	private void remember(Random random) {
		String field = name(random);
		String json = (random.nextInt(4) > 0) ? "\"remembered\"" : "";
		String before = json.isEmpty() ? this.memory.remove(field) : this.memory.put(field, json);
		boolean counts = json.isEmpty() == (before != null);
		assertThat(run("agents", "remember", "A", TTL, MEMBER, field, json)).containsExactly(counts ? "1" : "0");
		List<String> memory = run("agents", "recall", "A", TTL, MEMBER, "", "");
		assertThat(memory).hasSize(2 * this.memory.size()).containsAll(this.memory.keySet());
		see("A");
	}

	private void change(Random random, int step) {
		List<String> sent = List.copyOf(this.operations.keySet());
		boolean again = !sent.isEmpty() && random.nextInt(4) == 0;
		String operation = again ? sent.get(random.nextInt(sent.size())) : "o" + step;
		long age = (again && random.nextBoolean()) ? 1 + random.nextInt(3000) : 0;
		int number = (random.nextInt(5) == 0) ? 2 : 1;
		Map<String, Todo> todo = new TreeMap<>();
		while (todo.size() < number) {
			String field = name(random);
			String kind = (number > 1) ? List.of("put", "remove").get(random.nextInt(2))
					: List.of("put", "add", "append", "append", "increment", "remove", "move").get(random.nextInt(7));
			String expected = (random.nextInt(3) > 0) ? ""
					: String.valueOf(random.nextBoolean() ? versionOf(field) : random.nextInt(5));
			String value = kind.equals("increment") ? String.valueOf(random.nextInt(9) - 4) : "\"v" + step + "\"";
			todo.put(field, new Todo(kind, expected, value));
		}
		List<Object> arguments = new ArrayList<>(List.of(operation, age, TTL, MEMBER, KEPT, LONGEST, "A", "hash"));
		todo.forEach((field, change) -> arguments.addAll(List.of(change.kind, field, change.expected, change.value)));
		List<String> reply = run("change", arguments.toArray());
		assertThat(reply).startsWith(expect(operation, age, todo).toArray(String[]::new));
	}

	private List<String> expect(String operation, long age, Map<String, Todo> todo) {
		Applied applied = this.operations.get(operation);
		if (applied != null && this.feed.contains(applied)) {
			return List.of("ok", String.valueOf(applied.version), applied.number);
		}
		if (age > 0 && this.version > this.feed.size()
				&& (this.feed.isEmpty() || this.feed.get(0).millis > this.nowMillis - age - CLOCK_MILLIS)) {
			return List.of("unknown");
		}
		for (Map.Entry<String, Todo> each : todo.entrySet()) {
			List<String> refusal = refusal(each.getKey(), each.getValue());
			if (refusal != null) {
				return refusal;
			}
		}
		todo.entrySet()
			.removeIf((each) -> each.getValue().kind.equals("remove") && !this.fields.containsKey(each.getKey()));
		if (todo.isEmpty()) {
			return List.of("same", String.valueOf(this.version));
		}
		see("A");
		this.version++;
		StringBuilder entry = new StringBuilder(this.version + " o " + operation + " t " + this.nowMillis + " a A");
		String number = "";
		for (Map.Entry<String, Todo> each : todo.entrySet()) {
			entry.append(' ').append(each.getValue().kind).append(' ').append(each.getKey());
			number = apply(each.getKey(), each.getValue());
		}
		Applied done = new Applied(this.version, this.nowMillis, number, entry.toString());
		this.feed.add(done);
		this.operations.put(operation, done);
		if (this.feed.size() > KEPT + FORGOTTEN) {
			this.feed.subList(0, FORGOTTEN).clear();
		}
		return List.of("ok", String.valueOf(this.version), number);
	}

	private @Nullable List<String> refusal(String field, Todo change) {
		Entry found = this.fields.get(field);
		String version = String.valueOf(versionOf(field));
		if ((!change.expected.isEmpty() && !change.expected.equals(version))
				|| (change.kind.equals("add") && found != null)) {
			return List.of("conflict", version);
		}
		if (found != null && ((change.kind.equals("append") && found.value != null)
				|| (change.kind.equals("increment") && (found.value == null || found.value.startsWith("\""))))) {
			return List.of("type", field);
		}
		return (change.kind.equals("move") && !this.memory.containsKey(field))
				? List.of("absent", String.valueOf(this.version)) : null;
	}

	private String apply(String field, Todo change) {
		Entry before = this.fields.get(field);
		switch (change.kind) {
			case "remove" -> this.fields.remove(field);
			case "append" -> {
				List<String> list = (before != null) ? new ArrayList<>(before.list) : new ArrayList<>();
				list.add(change.value);
				this.fields.put(field,
						new Entry(this.version, null, list.subList(Math.max(0, list.size() - LONGEST), list.size())));
			}
			case "increment" -> {
				long sum = Long.parseLong(change.value) + ((before != null) ? Long.parseLong(before.value) : 0);
				this.fields.put(field, new Entry(this.version, String.valueOf(sum), List.of()));
				return String.valueOf(sum);
			}
			case "move" -> this.fields.put(field, new Entry(this.version, this.memory.remove(field), List.of()));
			default -> this.fields.put(field, new Entry(this.version, change.value, List.of()));
		}
		return "";
	}

	private void look() {
		look(run("snapshot"));
		look(run("snapshot", NAMES.toArray()));
	}

	private void look(List<String> reply) {
		assertThat(reply.get(0)).isEqualTo(String.valueOf(this.version));
		int split = 2 + Integer.parseInt(reply.get(1));
		Map<String, String> states = new HashMap<>();
		for (int i = 2; i < split; i += 2) {
			states.put(reply.get(i), reply.get(i + 1));
		}
		states.keySet().removeAll(List.of("b", "v"));
		assertThat(states).hasSize(this.fields.size());
		Map<String, String> values = new HashMap<>();
		Map<String, TreeMap<Long, String>> lists = new HashMap<>();
		for (int i = split; i < reply.size(); i += 2) {
			String[] name = reply.get(i).split("\0");
			if (name.length == 1) {
				values.put(name[0], reply.get(i + 1));
			}
			else {
				lists.computeIfAbsent(name[0], (list) -> new TreeMap<>()).put(Long.valueOf(name[1]), reply.get(i + 1));
			}
		}
		assertThat(values.size() + lists.size()).isEqualTo(this.fields.size());
		this.fields.forEach((field, entry) -> {
			assertThat(states.get("f:" + field)).matches(entry.version + "( .*)?");
			assertThat(values.get(field)).isEqualTo(entry.value);
			assertThat((entry.value == null) ? List.copyOf(lists.get(field).values()) : List.of())
				.isEqualTo(entry.list);
		});
	}

	private void read(Random random) {
		int since = random.nextInt((int) this.version + 1);
		int most = 1 + random.nextInt(10);
		List<String> reply = run("changes", since, most);
		assertThat(reply).startsWith("2", String.valueOf(this.version));
		List<String> found = new ArrayList<>();
		for (int i = 3; i < reply.size(); i += 1 + Integer.parseInt(reply.get(i))) {
			found.add(String.join(" ", reply.subList(i + 1, i + 1 + Integer.parseInt(reply.get(i)))));
		}
		assertThat(found).isEqualTo(this.feed.stream()
			.filter((applied) -> applied.version > since)
			.limit(most)
			.map(Applied::entry)
			.toList());
	}

	private static String name(Random random) {
		return NAMES.get(random.nextInt(NAMES.size()));
	}

	private long versionOf(String field) {
		Entry found = this.fields.get(field);
		return (found != null) ? found.version : 0;
	}

	private List<String> run(String script, Object... arguments) {
		LuaScript fields = LuaScript.functions(RedisWorkspace.class, "fields.lua");
		String text = new String(LuaScript.load(RedisWorkspace.class, script + ".lua", fields).text(),
				StandardCharsets.UTF_8)
			.replace("redis.call('TIME')", "{%d, %d}".formatted(this.nowMillis / 1000, this.nowMillis % 1000 * 1000))
			.replace("BATCH, FORGOTTEN = 500, 100", "BATCH, FORGOTTEN = 2, " + FORGOTTEN)
			.replace("BATCH = 500", "BATCH = 2");
		List<String> command = new ArrayList<>(List.of("EVAL", text, String.valueOf(KEYS.size())));
		command.addAll(KEYS);
		Stream.of(arguments).map(String::valueOf).forEach(command::add);
		List<?> reply = (List<?>) redis.primary().command(command.toArray(String[]::new));
		return reply.stream().map(String::valueOf).toList();
	}

	private record Todo(String kind, String expected, String value) {
	}

	private record Entry(long version, @Nullable String value, List<String> list) {
	}

	private record Applied(long version, long millis, String number, String entry) {
	}

}
