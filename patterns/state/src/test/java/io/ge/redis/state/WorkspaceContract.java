// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.ge.redis.OutageCause;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.structure.StructureContract;
import io.ge.redis.core.structure.StructureMismatchException;
import io.ge.redis.state.StateChange.Kind;
import io.ge.redis.state.StateEvent.Outcome;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Sized;
import io.ge.redis.test.Wide;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The promises of workspaces.
 */
abstract class WorkspaceContract extends StructureContract {

	private final List<StateInstance> instances = new ArrayList<>();

	@AfterEach
	void close() {
		this.instances.forEach(StateInstance::close);
	}

	@Override
	protected String pattern() {
		return "state";
	}

	@Override
	protected String key() {
		return "{session:101}:workspace";
	}

	@Override
	protected String anyKey() {
		return "{session:*";
	}

	@Override
	protected Set<String> elsewhere() {
		return Set.of("changes", "join", "members", "remember", "memory");
	}

	@Override
	protected List<Operation> operations(RedisBackend backend) {
		Workspace workspace = StateInstance.workspaces(backend, "storage", storage()).open("session", "101");
		return List.of(operation("put", () -> workspace.putAsync("plan", 1), () -> workspace.put("plan", 1)),
				operation("append", () -> workspace.appendAsync("list", 1), () -> workspace.append("list", 1)),
				operation("increment", () -> workspace.incrementAsync("tokens", 5),
						() -> workspace.increment("tokens", 5)),
				operation("putIfAbsent", () -> workspace.putIfAbsentAsync("plan", 2),
						() -> workspace.putIfAbsent("plan", 2)),
				operation("compareAndSet", () -> workspace.compareAndSetAsync("plan", 1, 2),
						() -> workspace.compareAndSet("plan", 1, 2)),
				operation("mergePatch", () -> workspace.mergePatchAsync(Map.of("a", 1, "b", List.of())),
						() -> workspace.mergePatch(Map.of("a", 1, "b", List.of()))),
				operation("snapshot", workspace::snapshotAsync, workspace::snapshot),
				operation("snapshot of some", () -> workspace.snapshotAsync("list", "plan"),
						() -> workspace.snapshot("list", "plan")),
				operation("changes", () -> workspace.changesAsync(0).thenApply(WorkspaceContract::kinds),
						() -> kinds(workspace.changes(0))),
				operation("join", () -> workspace.joinAsync("A"), () -> workspace.join("A")),
				operation("members", workspace::membersAsync, workspace::members),
				operation("remember", () -> workspace.rememberAsync("A", "draft", 1),
						() -> workspace.remember("A", "draft", 1)),
				operation("memory", () -> workspace.memoryAsync("A"), () -> workspace.memory("A")),
				operation("move", () -> workspace.moveAsync("A", "draft"), () -> workspace.move("A", "draft")),
				operation("remove", () -> workspace.removeAsync("plan"), () -> workspace.remove("plan")));
	}

	private static Operation operation(String name, Supplier<CompletableFuture<?>> asynchronous, Supplier<?> blocking) {
		return new Operation(name, asynchronous, blocking);
	}

	private static List<Map<String, Kind>> kinds(StateChanges changes) {
		return changes.changes().stream().map(StateChange::fields).toList();
	}

	/**
	 * Returns what keeps the fields of workspaces, as properties say it.
	 */
	String storage() {
		return "hash";
	}

	final StateInstance start(String... properties) {
		List<String> all = new ArrayList<>(List.of("storage", storage()));
		all.addAll(List.of(properties));
		StateInstance instance = new StateInstance(redis(), all.toArray(String[]::new));
		this.instances.add(instance);
		return instance;
	}

	@Test
	void eachChangeHasTheNextVersion() {
		Workspace workspace = start().open("101");
		assertThat(workspace.snapshot().version()).isZero();
		assertThat(workspace.put("plan", new Plan("go", 3))).isEqualTo(1);
		assertThat(workspace.append("history", "a")).isEqualTo(2);
		assertThat(workspace.append("history", "b")).isEqualTo(3);
		assertThat(workspace.increment("tokens", 42)).isEqualTo(42);
		assertThat(workspace.increment("tokens", -2)).isEqualTo(40);
		assertThat(workspace.remove("nothing")).isFalse();
		WorkspaceSnapshot snapshot = workspace.snapshot();
		assertThat(snapshot.version()).isEqualTo(5);
		assertThat(snapshot.fields()).containsOnlyKeys("plan", "history", "tokens");
		assertThat(snapshot.get("plan", Plan.class)).isEqualTo(new Plan("go", 3));
		assertThat(snapshot.list("history", String.class)).containsExactly("a", "b");
		assertThat(snapshot.get("tokens", Long.class)).isEqualTo(40);
		assertThat(snapshot.version("plan")).isEqualTo(1);
		assertThat(snapshot.version("history")).isEqualTo(3);
		assertThat(snapshot.version("tokens")).isEqualTo(5);
		assertThat(snapshot.version("nothing")).isZero();
		assertThat(String.valueOf(snapshot.toJson()))
			.isEqualTo("{\"history\":[\"a\",\"b\"],\"plan\":{\"name\":\"go\",\"steps\":3},\"tokens\":40}");
	}

	@Test
	void keysAreThoseOfTheDocuments() throws Exception {
		Workspace workspace = start().open("101");
		workspace.by("A").put("status", "thinking");
		workspace.remember("A", "draft", 1);
		direct((template) -> {
			assertThat(template.opsForHash().get("{session:101}:workspace", "status")).isEqualTo("\"thinking\"");
			assertThat(template.opsForHash().get("{session:101}:agent:A:memory", "draft")).isEqualTo("1");
			assertThat(template.opsForZSet().range("{session:101}:directory:agents", 0, -1)).containsExactly("A");
		});
	}

	@Test
	void allKeysExpireAtTheSameInstant() throws Exception {
		Workspace workspace = start("ttl", "1h").open("101");
		workspace.join("B");
		workspace.by("A").put("status", "thinking");
		List<String> keys = Stream
			.of("workspace", "workspace:meta", "workspace:changes", "workspace:operations", "directory:agents")
			.map("{session:101}:"::concat)
			.toList();
		assertThat(keys()).containsExactlyInAnyOrderElementsOf(keys);
		workspace.remember("A", "draft", 1);
		direct((template) -> {
			List<?> millis = template.execute(RedisScript.of("""
					local millis, before, after = {}
					repeat
					  before = math.floor(redis.call('TIME')[2] / 1000)
					  for i, key in ipairs(KEYS) do millis[i] = redis.call('PTTL', key) end
					  after = math.floor(redis.call('TIME')[2] / 1000)
					until before == after
					return millis""", List.class), keys);
			assertThat(Set.copyOf(millis)).singleElement(as(InstanceOfAssertFactories.LONG))
				.isBetween(3590000L, 3600000L);
			assertThat(template.getExpire("{session:101}:agent:A:memory")).isBetween(3590L, 3600L);
		});
		prolongs(() -> workspace.remember("A", "draft", 2));
		prolongs(() -> workspace.join("A"));
		prolongs(() -> workspace.by("A").put("status", "idle"));
	}

	@Test
	void readsSomeFields() {
		Workspace workspace = start().open("101");
		workspace.append("history", 1);
		workspace.put("plan", "a");
		workspace.put("other", "b");
		workspace.append("history", 2);
		WorkspaceSnapshot some = workspace.snapshot("history", "plan", "nothing");
		assertThat(some.fields()).containsOnlyKeys("history", "plan");
		assertThat(some.list("history", Integer.class)).containsExactly(1, 2);
		assertThat(some.version("history")).isEqualTo(4);
		assertThat(some.version()).isEqualTo(4);
	}

	@Test
	void keepsValuesByteForByte() {
		Workspace workspace = start().open("101");
		JsonMapper mapper = JsonMapper.shared();
		String json = "{\"big\":123456789012345678901234567890,\"empty\":[],\"none\":{},\"null\":null,"
				+ "\"text\":\"\\u0000 \u00e4\ud83d\ude00\"}";
		workspace.put("value", mapper.readTree(json));
		workspace.append("values", mapper.readTree(json));
		workspace.put("null", null);
		WorkspaceSnapshot snapshot = workspace.snapshot();
		assertThat(mapper.readTree(String.valueOf(snapshot.json("value")))).isEqualTo(mapper.readTree(json));
		assertThat(snapshot.json("value")).contains("123456789012345678901234567890", "[]", "{}");
		assertThat(snapshot.json("values")).isEqualTo("[" + snapshot.json("value") + "]");
		assertThat(snapshot.json("null")).isEqualTo("null");
		assertThat(snapshot.get("value", JsonNode.class).get("big").bigIntegerValue())
			.isEqualTo(new BigInteger("123456789012345678901234567890"));
	}

	@Test
	void setsWhatIsAbsentOnce() {
		Workspace workspace = start().open("101");
		assertThat(workspace.putIfAbsent("leader", "A")).isEqualTo(new WriteResult(true, 1));
		workspace.put("other", 1);
		assertThat(workspace.putIfAbsent("leader", "B")).isEqualTo(new WriteResult(false, 1));
		assertThat(workspace.snapshot().get("leader", String.class)).isEqualTo("A");
	}

	@Test
	void comparesTheVersionOfTheField() {
		StateInstance instance = start();
		Workspace workspace = instance.open("101");
		assertThat(workspace.compareAndSet("plan", 0, "a")).isEqualTo(new WriteResult(true, 1));
		workspace.put("other", 1);
		assertThat(workspace.compareAndSet("plan", 0, "b")).isEqualTo(new WriteResult(false, 1));
		assertThat(workspace.compareAndSet("plan", 1, "c")).isEqualTo(new WriteResult(true, 3));
		assertThat(workspace.remove("plan")).isTrue();
		assertThat(workspace.compareAndSet("plan", 3, "d")).isEqualTo(new WriteResult(false, 0));
		assertThat(workspace.compareAndSet("plan", 0, "e")).isEqualTo(new WriteResult(true, 5));
		assertThat(instance.events(Outcome.CONFLICT)).isEqualTo(2);
		assertThat(instance.events(Outcome.APPLIED)).isEqualTo(5);
	}

	@Test
	void updatesOfManyWritersAllCount() throws Exception {
		int writers = 8;
		int times = 6;
		Workspace workspace = start("update-attempts", "500").open("101");
		together(writers, (writer) -> {
			for (int i = 0; i < times; i++) {
				workspace.update("plan", Plan.class,
						(plan) -> (plan != null) ? new Plan(plan.name(), plan.steps() + 1) : new Plan("go", 1));
				workspace.mergePatch(Map.of("patched", Map.of(writer + "." + i, i)));
			}
		});
		assertThat(workspace.snapshot().get("plan", Plan.class)).isEqualTo(new Plan("go", writers * times));
		assertThat(workspace.snapshot().get("patched", Map.class)).hasSize(writers * times);
		assertThat(workspace.snapshot().version()).isEqualTo(2 * writers * times);
	}

	@Test
	void givesUpAnUpdateThatOthersOvertakeAlways() {
		Workspace workspace = start("update-attempts", "3").open("101");
		List<Integer> seen = new ArrayList<>();
		assertThatExceptionOfType(UpdateConflictException.class)
			.isThrownBy(() -> workspace.update("number", Integer.class, (number) -> {
				seen.add((number != null) ? number : 0);
				workspace.put("number", seen.size());
				return -1;
			}))
			.withMessageContainingAll("'number'", "3 attempts", "ge.redis.state.update-attempts");
		assertThat(seen).containsExactly(0, 1, 2);
		assertThat(workspace.snapshot().get("number", Integer.class)).isEqualTo(3);
	}

	@Test
	void anUpdateToNullRemovesOnlyWhatItHasSeen() {
		Workspace workspace = start().open("101");
		List<Integer> seen = new ArrayList<>();
		workspace.put("number", 1);
		workspace.update("number", Integer.class, (number) -> {
			seen.add(number);
			workspace.put("other", seen.size());
			if (seen.size() == 1) {
				workspace.put("number", 2);
			}
			return null;
		});
		assertThat(seen).containsExactly(1, 2);
		assertThat(workspace.snapshot().fields()).containsOnlyKeys("other");
	}

	@Test
	void anUpdateToNullRemoves() {
		Workspace workspace = start().open("101");
		workspace.put("plan", "a");
		assertThat(workspace.update("plan", String.class, (plan) -> null)).isNull();
		assertThat(workspace.snapshot().fields()).isEmpty();
		assertThat(workspace.update("plan", String.class, (plan) -> null)).isNull();
		assertThat(workspace.snapshot().version()).isEqualTo(2);
	}

	@Test
	void whatAnUpdateThrowsIsThrown() {
		Workspace workspace = start().open("101");
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> workspace.update("plan", String.class, (plan) -> {
				throw new IllegalStateException("mine");
			}))
			.withMessage("mine");
	}

	@Test
	void mergesAPatchAsOneChange() {
		Workspace workspace = start().open("101");
		JsonMapper mapper = JsonMapper.shared();
		workspace.put("a", Map.of("x", 1, "y", Map.of("z", 2)));
		workspace.put("b", "old");
		workspace.append("list", 1);
		long version = workspace.mergePatch(mapper.readTree(
				"{\"a\":{\"x\":null,\"y\":{\"w\":3},\"n\":{\"o\":null}},\"b\":null,\"c\":[1],\"list\":\"none\"}"));
		assertThat(version).isEqualTo(4);
		WorkspaceSnapshot snapshot = workspace.snapshot();
		assertThat(snapshot.toJson())
			.isEqualTo(mapper.readTree("{\"a\":{\"y\":{\"z\":2,\"w\":3},\"n\":{}},\"c\":[1],\"list\":\"none\"}"));
		assertThat(snapshot.version("a")).isEqualTo(4);
		assertThat(workspace.changes(3).changes()).singleElement()
			.satisfies((change) -> assertThat(change.fields())
				.isEqualTo(Map.of("a", Kind.PUT, "b", Kind.REMOVE, "c", Kind.PUT, "list", Kind.PUT)));
		assertThat(workspace.mergePatch(Map.of())).isEqualTo(4);
	}

	@Test
	void aPatchRemovesWhateverTheApplicationIncludes() {
		JsonMapper application = JsonMapper.builder()
			.propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
			.changeDefaultPropertyInclusion((value) -> value.withValueInclusion(JsonInclude.Include.NON_NULL)
				.withContentInclusion(JsonInclude.Include.NON_NULL))
			.build();
		Workspace workspace = StateInstance.workspaces(backend(), application, "storage", storage())
			.open("session", "101");
		workspace.put("max_steps", 1);
		workspace.put("plan", new Progress(1, "a", null));
		workspace.put("kept", 1);
		workspace.mergePatch(new Progress(null, null, new Progress(null, "b", null)));
		assertThat(workspace.snapshot().fields()).containsOnlyKeys("plan", "kept");
		assertThat(workspace.snapshot().get("plan", Progress.class)).isEqualTo(new Progress(null, "b", null));
		workspace.mergePatch(Collections.singletonMap("kept", null));
		assertThat(workspace.snapshot().fields()).containsOnlyKeys("plan");
		refuses("Remove @JsonUnwrapped", () -> workspace.mergePatch(new Wrapped(null)));
	}

	@Test
	void refusesTextThatIsNone() {
		Workspace workspace = start().open("101");
		refuses("field must be text", () -> workspace.put("\ud800", 1));
		refuses("operation id must be text", () -> workspace.withOperation("\ud800"));
		for (Object value : List.of("a\ud800", List.of("\udc00"), Map.of("\ud800", 1))) {
			refuses("The value for field 'plan' must be text, has half of a surrogate pair",
					() -> workspace.put("plan", value));
			refuses("must be text", () -> workspace.append("plan", value));
			refuses("must be text", () -> workspace.mergePatch(Map.of("plan", value)));
		}
		assertThat(keys()).isEmpty();
	}

	/**
	 * The examples of the RFC, as far as a field can hold them.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			{"a":"b"}               | {"a":"c"}              | {"a":"c"}
			{"a":"b"}               | {"b":"c"}              | {"a":"b","b":"c"}
			{"a":"b"}               | {"a":null}             | {}
			{"a":"b","b":"c"}       | {"a":null}             | {"b":"c"}
			{"a":["b"]}             | {"a":"c"}              | {"a":"c"}
			{"a":"c"}               | {"a":["b"]}            | {"a":["b"]}
			{"a":{"b":"c"}}         | {"a":{"b":"d","c":null}} | {"a":{"b":"d"}}
			{"a":[{"b":"c"}]}       | {"a":[1]}              | {"a":[1]}
			["a","b"]               | ["c","d"]              | ["c","d"]
			{"a":"b"}               | ["c"]                  | ["c"]
			{"a":"foo"}             | "bar"                  | "bar"
			{"e":null}              | {"a":1}                | {"e":null,"a":1}
			[1,2]                   | {"a":"b","c":null}     | {"a":"b"}
			{}                      | {"a":{"bb":{"ccc":null}}} | {"a":{"bb":{}}}
			{"a":1.10}              | {"b":12345678901234567890.5} | {"a":1.10,"b":12345678901234567890.5}
			""")
	@Wide
	void mergesAsTheRfcSays(String target, String patch, String result) {
		assumeTrue(storage().equals("hash") || !patch.contains("12345678901234567890.5"));
		JsonMapper mapper = JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();
		Workspace workspace = start().open("101");
		workspace.put("field", mapper.readTree(target));
		workspace.mergePatch(mapper.createObjectNode().set("field", mapper.readTree(patch)));
		assertThat(mapper.readTree(String.valueOf(workspace.snapshot().json("field"))))
			.isEqualTo(mapper.readTree(result));
	}

	@Test
	void movesFromMemoryToTheWorkspace() {
		Workspace workspace = start().open("101");
		assertThat(workspace.remember("A", "plan", new Plan("go", 3))).isTrue();
		assertThat(workspace.remember("A", "draft", 1)).isTrue();
		assertThat(workspace.remember("A", "draft", 2)).isFalse();
		assertThat(workspace.snapshot().fields()).isEmpty();
		assertThat(workspace.move("A", "plan")).isEqualTo(new WriteResult(true, 1));
		assertThat(workspace.move("A", "plan")).isEqualTo(new WriteResult(false, 1));
		assertThat(workspace.move("B", "draft")).isEqualTo(new WriteResult(false, 1));
		assertThat(workspace.memory("A").fields()).containsOnlyKeys("draft");
		assertThat(workspace.memory("A").get("draft", Integer.class)).isEqualTo(2);
		assertThat(workspace.remember("A", "draft", null)).isTrue();
		assertThat(workspace.memory("A").fields()).isEmpty();
		assertThat(workspace.memory("B").fields()).isEmpty();
		assertThat(workspace.members()).containsExactly("A");
		assertThat(workspace.snapshot().get("plan", Plan.class)).isEqualTo(new Plan("go", 3));
		assertThat(workspace.changes(0).changes()).singleElement()
			.satisfies((change) -> assertThat(change.agent()).isEqualTo("A"))
			.satisfies((change) -> assertThat(change.fields()).isEqualTo(Map.of("plan", Kind.MOVE)));
	}

	@Test
	void keepsTheLastEntriesOfAList() {
		Workspace workspace = start("max-list-length", "3").open("101");
		IntStream.range(0, 10).forEach((i) -> workspace.append("history", i));
		assertThat(workspace.snapshot().list("history", Integer.class)).containsExactly(7, 8, 9);
		workspace.put("history", "none");
		assertThat(workspace.snapshot().get("history", String.class)).isEqualTo("none");
		workspace.remove("history");
		workspace.append("history", 1);
		assertThat(workspace.snapshot().list("history", Integer.class)).containsExactly(1);
	}

	@Test
	void refusesWhatAFieldIsNotMadeFor() {
		StateInstance instance = start();
		Workspace workspace = instance.open("101");
		workspace.put("text", "a");
		workspace.append("list", 1);
		workspace.put("large", Long.MAX_VALUE);
		mismatches("'text' of {session:101}:workspace is a value and no list", () -> workspace.append("text", 1));
		mismatches("'text' of {session:101}:workspace is no whole number", () -> workspace.increment("text", 1));
		mismatches("'list' of {session:101}:workspace is a list and no number", () -> workspace.increment("list", 1));
		mismatches("would not fit", () -> workspace.increment("large", 1));
		assertThat(workspace.snapshot().version()).isEqualTo(3);
		assertThat(instance.events(Outcome.REFUSED)).isEqualTo(4);
		assertThat(workspace.increment("large", -1)).isEqualTo(Long.MAX_VALUE - 1);
	}

	private static void mismatches(String message, Runnable change) {
		assertThatExceptionOfType(StructureMismatchException.class).isThrownBy(change::run)
			.withMessageContaining(message);
	}

	@ParameterizedTest
	@ValueSource(strings = { "workspace", "workspace:meta", "workspace:changes", "workspace:operations",
			"directory:agents" })
	@Wide
	void writesNothingWhereAKeyHasBecomeOfAnotherType(String key) throws Exception {
		Workspace workspace = start().open("101");
		workspace.by("A").put("plan", "a");
		workspace.by("A").increment("tokens", 1);
		Map<String, String> before = contents();
		direct((template) -> {
			template.delete("{session:101}:" + key);
			template.opsForValue().set("{session:101}:" + key, "text", Duration.ofMinutes(1));
		});
		for (Runnable change : List.<Runnable>of(() -> workspace.by("A").put("plan", "b"),
				() -> workspace.by("A").increment("tokens", 1), () -> workspace.by("A").append("list", 1),
				() -> workspace.by("A").mergePatch(Map.of("plan", 1, "other", 2)))) {
			assertThatExceptionOfType(StructureMismatchException.class).isThrownBy(change::run)
				.withMessageContaining("{session:101}:workspace");
		}
		Map<String, String> after = contents();
		before.remove("{session:101}:" + key);
		assertThat(after).containsAllEntriesOf(before);
	}

	/**
	 * Returns what is under each key, as text.
	 */
	private Map<String, String> contents() throws Exception {
		Map<String, String> contents = new HashMap<>();
		direct((template) -> keys().forEach((key) -> contents.put(key, switch (type(template, key)) {
			case "hash" -> new TreeMap<>(template.opsForHash().entries(key)).toString();
			case "zset" -> String.valueOf(template.opsForZSet().range(key, 0, -1));
			case "stream" -> String.valueOf(template.opsForStream().size(key));
			case "string" -> String.valueOf(template.opsForValue().get(key));
			default -> json(template, ".");
		})));
		return contents;
	}

	private static String type(StringRedisTemplate template, String key) {
		return template.execute(RedisScript.of("return redis.call('TYPE', KEYS[1]).ok", String.class), List.of(key));
	}

	/**
	 * Returns a part of the document that holds the fields.
	 */
	static String json(StringRedisTemplate template, String path) {
		return template.execute(RedisScript.of("return redis.call('JSON.GET', KEYS[1], ARGV[1])", String.class),
				List.of("{session:101}:workspace"), path);
	}

	@Test
	void aServerWithoutMemoryIsNoMismatch() {
		StateInstance instance = start();
		Workspace workspace = instance.open("101");
		workspace.increment("tokens", 1);
		redis().endpoints().forEach(RedisEndpoint::exhaustMemory);
		try {
			assertThatExceptionOfType(RedisUnavailableException.class)
				.isThrownBy(() -> workspace.increment("tokens", 1))
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(OutageCause.OOM));
			assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> workspace.put("plan", 1));
			// What is refused is not sent again
			assertThat(instance.scripts()).isEqualTo(3);
		}
		finally {
			redis().endpoints().forEach(RedisEndpoint::freeMemory);
		}
		assertThat(workspace.snapshot().version()).isEqualTo(1);
		assertThat(workspace.snapshot().get("tokens", Long.class)).isEqualTo(1);
	}

	@Test
	void goesOnWhereOtherProgramsHaveBeenAtWork() throws Exception {
		Workspace workspace = start().open("101");
		workspace.put("removed", 1);
		workspace.append("list", 1);
		workspace.append("list", 2);
		direct((template) -> {
			template.opsForHash().put("{session:101}:workspace", "theirs", "\"x\"");
			template.opsForHash().delete("{session:101}:workspace", "removed", "list\0" + 0, "list\0" + 1);
		});
		assertThat(workspace.snapshot().fields()).containsOnlyKeys("theirs");
		assertThat(workspace.putIfAbsent("theirs", 1)).isEqualTo(new WriteResult(false, 0));
		assertThat(workspace.update("theirs", String.class, (theirs) -> theirs + "y")).isEqualTo("xy");
		assertThat(workspace.putIfAbsent("removed", 2)).isEqualTo(new WriteResult(true, 5));
		direct((template) -> template.opsForHash().delete("{session:101}:workspace", "removed"));
		assertThat(workspace.compareAndSet("removed", 0, 3)).isEqualTo(new WriteResult(true, 6));
		assertThat(workspace.append("list", 3)).isEqualTo(7);
		assertThat(workspace.snapshot().list("list", Integer.class)).containsExactly(3);
		direct((template) -> template.delete("{session:101}:workspace:meta"));
		assertThat(workspace.put("plan", 1)).isEqualTo(8);
	}

	@Test
	void holdsListsOfThousands() throws Exception {
		Workspace workspace = start().open("101");
		workspace.append("list", 0);
		// As if there had been as many appends
		direct((template) -> template.execute(RedisScript.of("""
				for i = 1, 9999 do redis.call('HSET', KEYS[1], 'list\\0' .. i, i) end
				redis.call('HSET', KEYS[2], 'f:list', '1 0 10000')"""),
				List.of("{session:101}:workspace", "{session:101}:workspace:meta")));
		List<Integer> all = workspace.snapshot().list("list", Integer.class);
		assertThat(all).isEqualTo(IntStream.range(0, 10_000).boxed().toList());
		assertThat(workspace.snapshot("list").list("list", Integer.class)).isEqualTo(all);
		start("max-list-length", "700").open("101").append("list", -1);
		assertThat(workspace.snapshot().list("list", Integer.class)).hasSize(700).endsWith(-1);
		workspace.put("list", "none");
		direct((template) -> assertThat(template.opsForHash().size("{session:101}:workspace")).isEqualTo(1));
	}

	@Test
	@Wide
	void holdsMegabytes() {
		Workspace workspace = start().open("101");
		String text = "x".repeat(500_000);
		IntStream.range(0, 10).forEach((i) -> workspace.put("field" + i, text + i));
		WorkspaceSnapshot snapshot = workspace.snapshot();
		assertThat(snapshot.fields()).hasSize(10);
		assertThat(snapshot.get("field7", String.class)).isEqualTo(text + 7);
	}

	@Test
	void refusesBadInputBeforeRedisIsAsked() {
		StateInstance instance = start("max-value-size", "100B");
		Workspace workspace = instance.open("101");
		for (String bad : List.of("", "a{b", "a}b", "a:b", "a\nb", "x".repeat(201))) {
			for (Runnable call : List.<Runnable>of(() -> workspace.put(bad, 1), () -> workspace.remove(bad),
					() -> workspace.update(bad, String.class, (value) -> "x"), () -> workspace.snapshot("plan", bad),
					() -> workspace.mergePatch(Map.of(bad, Map.of())), () -> workspace.remember("A", bad, 1))) {
				refuses("field", call);
			}
			for (Runnable call : List.<Runnable>of(() -> workspace.by(bad), () -> workspace.join(bad),
					() -> workspace.remember(bad, "draft", 1), () -> workspace.memory(bad))) {
				refuses("agent", call);
			}
			refuses("id", () -> instance.open(bad));
			refuses("kind", () -> StateInstance.workspaces(backend()).open(bad, "101"));
		}
		refuses("patch must be an object in JSON of at most 1000 members", () -> workspace.mergePatch(
				IntStream.range(0, 1001).boxed().collect(Collectors.toMap(String::valueOf, Function.identity()))));
		assertThatIllegalArgumentException().isThrownBy(() -> workspace.put("plan", "x".repeat(100)))
			.withMessageContainingAll("'plan'", "102 bytes", "ge.redis.state.max-value-size");
		assertThatIllegalArgumentException().isThrownBy(() -> workspace.put("plan", new Object() {

			public Object getSelf() {
				return this;
			}

		})).withMessageContainingAll("'plan'", "cannot be written as JSON");
		assertThatIllegalArgumentException().isThrownBy(() -> workspace.mergePatch(List.of(1)))
			.withMessageContaining("patch must be an object");
		assertThatIllegalArgumentException().isThrownBy(() -> workspace.changes(-1)).withMessageContaining("since");
		assertThat(instance.scripts()).isZero();
	}

	@Test
	void refusesWhatADocumentWouldNotKeep() {
		Workspace workspace = start("storage", "json").open("101");
		for (String name : List.of("a\"b", "a\\b")) {
			refuses("field must have neither quotes nor backslashes", () -> workspace.put(name, 1));
			refuses("field must have neither quotes nor backslashes", () -> workspace.snapshot(name));
		}
		for (String json : List.of("9223372036854775808", "[0.12345678901234567890]", "{\"a\":1e400}",
				"[".repeat(101) + "]".repeat(101))) {
			refuses("'plan' does not fit into a JSON document of Redis",
					() -> workspace.put("plan",
							JsonMapper.shared()
								.rebuild()
								.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
								.build()
								.readTree(json)));
		}
		workspace.put("plan", JsonMapper.shared().readTree("[".repeat(100) + "\"x\"" + "]".repeat(100)));
		assertThat(workspace.snapshot().json("plan")).contains("[\"x\"]");
	}

	@Test
	void keepsAHashWhereTheServerHasNoDocuments() throws Exception {
		assumeFalse(hasDocuments(redis()));
		Workspace workspace = start("storage", "json").open("101");
		assertThat(workspace.put("plan", 1)).isEqualTo(1);
		assertThat(workspace.increment("plan", 1)).isEqualTo(2);
		direct((template) -> assertThat(template.opsForHash().get("{session:101}:workspace", "plan")).isEqualTo("2"));
	}

	/**
	 * Whether the server has JSON documents.
	 */
	static boolean hasDocuments(RedisFixture redis) {
		Object known = redis.endpoints().get(0).command("COMMAND", "INFO", "JSON.SET");
		return ((List<?>) known).get(0) instanceof List<?> described && !described.isEmpty();
	}

	@Test
	void theSameOperationIsAppliedOnce() {
		Workspace workspace = start().open("101");
		Workspace once = workspace.withOperation("request 7");
		assertThat(once.append("history", "a")).isEqualTo(1);
		assertThat(workspace.changes(0).changes().get(0).operation()).startsWith("k-").doesNotContain("request 7");
		workspace.append("history", "b");
		assertThat(start().open("101").withOperation("request 7").append("history", "a")).isEqualTo(1);
		assertThat(workspace.withOperation("request 8").increment("tokens", 5)).isEqualTo(5);
		workspace.increment("tokens", 5);
		assertThat(workspace.withOperation("request 8").increment("tokens", 5)).isEqualTo(5);
		assertThat(workspace.snapshot().list("history", String.class)).containsExactly("a", "b");
		assertThat(workspace.snapshot().get("tokens", Long.class)).isEqualTo(10);
	}

	@Test
	void readsChangesAndSeesAGap() throws Exception {
		Workspace workspace = start("changes-kept", "1").open("101");
		workspace.by("A").put("plan", 1);
		workspace.increment("tokens", 1);
		StateChanges changes = workspace.changes(0);
		assertThat(changes.gap()).isFalse();
		assertThat(changes.epoch()).isPositive();
		assertThat(changes.version()).isEqualTo(2);
		assertThat(changes.changes()).extracting(StateChange::version).containsExactly(1L, 2L);
		assertThat(changes.changes()).extracting(StateChange::agent).containsExactly("A", null);
		assertThat(workspace.changes(2)).isEqualTo(new StateChanges(List.of(), 2, changes.epoch(), false));
		assertThat(workspace.changes(3).gap()).isTrue();
		// They are forgotten by the hundred, and their ids with them
		IntStream.range(0, 500).forEach((i) -> workspace.put("plan", i));
		StateChanges late = workspace.changes(2);
		assertThat(late.gap()).isTrue();
		assertThat(late.epoch()).isEqualTo(changes.epoch());
		assertThat(late.changes().get(0).version()).isGreaterThan(300);
		direct((template) -> assertThat(template.opsForHash().size("{session:101}:workspace:operations"))
			.isEqualTo(template.opsForStream().size("{session:101}:workspace:changes"))
			.isLessThan(200));
	}

	@Test
	void callsAListenerWithEachChangeInOrder() throws Exception {
		StateInstance instance = start();
		Workspace workspace = instance.open("101");
		workspace.put("before", 1);
		Recorder recorder = new Recorder();
		StateInstance listening = start();
		try (ChangeSubscription subscription = listening.open("101").listen(1, recorder)) {
			together(4, (writer) -> IntStream.range(0, 25).forEach((i) -> workspace.append("history", i)));
			await().until(() -> subscription.version() == 101);
			await().until(() -> recorder.versions.size() == 100);
			assertThat(recorder.versions).isEqualTo(LongStream.rangeClosed(2, 101).boxed().toList());
			assertThat(recorder.gaps).isEmpty();
		}
		int reads = listening.scripts();
		workspace.put("after", 1);
		await().pollDelay(Duration.ofMillis(300)).until(() -> true);
		assertThat(recorder.versions).hasSize(100);
		// One may have been under way
		assertThat(listening.scripts()).isLessThanOrEqualTo(reads + 1);
	}

	@Test
	void tellsAListenerThatIsAheadOfABeginningAnew() {
		Workspace workspace = start().open("101");
		workspace.put("plan", 1);
		workspace.put("plan", 2);
		Recorder recorder = new Recorder();
		try (ChangeSubscription subscription = workspace.listen(5, recorder)) {
			await().until(() -> recorder.versions.equals(List.of(1L, 2L)));
			assertThat(subscription.version()).isEqualTo(2);
			assertThat(recorder.gaps).containsExactly("5 to 1");
		}
	}

	@Test
	void callsNoListenerThatHasClosedItsSubscription() {
		Workspace workspace = start().open("101");
		IntStream.range(0, 3).forEach((i) -> workspace.put("plan", i));
		CompletableFuture<ChangeSubscription> subscription = new CompletableFuture<>();
		List<Long> seen = new CopyOnWriteArrayList<>();
		subscription.complete(workspace.listen(0, (change) -> {
			seen.add(change.version());
			subscription.join().close();
		}));
		await().until(() -> subscription.join().version() == 3);
		assertThat(seen).containsExactly(1L);
	}

	@Test
	void tellsAListenerOfWhatItMissed() {
		Workspace workspace = start("changes-kept", "1").open("101");
		IntStream.range(0, 300).forEach((i) -> workspace.put("plan", i));
		Recorder recorder = new Recorder();
		try (ChangeSubscription subscription = workspace.listen(2, recorder)) {
			await().until(() -> subscription.version() == 300);
			await().until(() -> !recorder.versions.isEmpty() && recorder.versions.contains(300L));
			assertThat(recorder.gaps).hasSize(1);
			assertThat(recorder.gaps.get(0)).startsWith("2 to ").endsWith(" " + recorder.versions.get(0));
		}
	}

	static IntStream beginnings() {
		return Wide.RUN ? IntStream.of(1, 2, 5) : IntStream.of(5);
	}

	@ParameterizedTest
	@MethodSource("beginnings")
	@Sized
	void tellsAListenerOfABeginningAnew(int changes) throws Exception {
		Workspace workspace = start().open("101");
		workspace.put("plan", 1);
		workspace.put("plan", 2);
		Recorder recorder = new Recorder();
		try (ChangeSubscription subscription = workspace.listen(0, recorder)) {
			await().until(() -> subscription.version() == 2);
			// As if it had expired and been changed so often before the listener looks
			direct((template) -> template.execute(RedisScript.of("""
					redis.call('DEL', KEYS[2])
					for i = 1, ARGV[1] do
					  redis.call('XADD', KEYS[2], i .. '-0', 'o', i, 't', 0, 'a', '', 'put', 'plan')
					end
					redis.call('PEXPIRE', KEYS[2], 60000)
					redis.call('HSET', KEYS[1], 'v', ARGV[1], 'b', 1)"""),
					List.of("{session:101}:workspace:meta", "{session:101}:workspace:changes"),
					String.valueOf(changes)));
			await().until(() -> subscription.version() == changes && recorder.gaps.equals(List.of("2 to 1")));
			await().until(() -> recorder.versions.size() == 2 + changes);
			assertThat(recorder.versions.subList(2, 2 + changes))
				.isEqualTo(LongStream.rangeClosed(1, changes).boxed().toList());
		}
	}

	@Test
	void goesOnAfterAListenerHasFailed() {
		Workspace workspace = start().open("101");
		List<Long> seen = new CopyOnWriteArrayList<>();
		IllegalStateException failure = new IllegalStateException("mine");
		// It is logged
		failure.setStackTrace(new StackTraceElement[0]);
		workspace.put("plan", 1);
		workspace.put("plan", 2);
		try (ChangeSubscription subscription = workspace.listen(0, (change) -> {
			seen.add(change.version());
			throw failure;
		})) {
			await().until(() -> seen.equals(List.of(1L, 2L)));
			assertThat(subscription.version()).isEqualTo(2);
		}
	}

	@Test
	void membersAreThoseThatWereSeenLately() throws Exception {
		Workspace workspace = start("member-ttl", "2s").open("101");
		assertThat(workspace.members()).isEmpty();
		assertThat(workspace.join("A")).containsExactly("A");
		workspace.remember("B", "draft", 1);
		workspace.by("C").put("status", "here");
		assertThat(workspace.members()).containsExactly("A", "B", "C");
		await().until(() -> workspace.members().isEmpty());
		workspace.by("D").put("status", "here");
		assertThat(workspace.members()).containsExactly("D");
		direct((template) -> assertThat(template.opsForZSet().size("{session:101}:directory:agents")).isEqualTo(1));
	}

	@Test
	void anUpdateIsTwoScripts() {
		StateInstance instance = start();
		instance.open("101").update("plan", Integer.class, (plan) -> 1);
		assertThat(instance.scripts()).isEqualTo(2);
	}

	@Test
	void futuresOfOneThreadAreApplied() {
		Workspace workspace = start().open("101");
		List<CompletableFuture<Long>> all = IntStream.range(0, 200)
			.mapToObj((i) -> workspace.appendAsync("history", i))
			.toList();
		Set<Long> versions = new HashSet<>();
		all.forEach((future) -> versions.add(future.join()));
		assertThat(versions).hasSize(200);
		assertThat(workspace.snapshot().list("history", Integer.class))
			.containsExactlyInAnyOrderElementsOf(IntStream.range(0, 200).boxed().toList());
	}

	@Test
	void everyChangeOfManyWritersCountsOnceAlsoWhenConnectionsAreKilled() throws Exception {
		int writers = 50;
		int times = 20;
		List<Workspace> workspaces = IntStream.range(0, 3).mapToObj((i) -> start().open("101")).toList();
		List<Long> versions = new CopyOnWriteArrayList<>();
		Thread killer = new Thread(() -> {
			await().pollInterval(Duration.ofMillis(5)).until(() -> versions.size() > writers * times / 4);
			redis().endpoints().forEach((endpoint) -> endpoint.killClients("normal"));
		});
		killer.start();
		together(writers, (writer) -> {
			for (int i = 0; i < times; i++) {
				String name = writer + "." + i;
				Workspace once = workspaces.get(writer % 3).withOperation(name);
				boolean appends = i % 2 == 0;
				versions.add(repeated(() -> appends ? once.append("history", name) : once.put("w" + writer, name)));
			}
		});
		killer.join();
		assertThat(versions)
			.containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(1, writers * times).boxed().toList());
		WorkspaceSnapshot snapshot = workspaces.get(0).snapshot();
		assertThat(snapshot.version()).isEqualTo(writers * times);
		assertThat(snapshot.list("history", String.class)).doesNotHaveDuplicates().hasSize(writers * times / 2);
		assertThat(snapshot.get("w7", String.class)).isEqualTo("7." + (times - 1));
	}

	private static long repeated(Supplier<Long> change) {
		while (true) {
			try {
				return change.get();
			}
			catch (RedisUnavailableException ex) {
				// The same operation, so it is applied once
				LockSupport.parkNanos(1_000_000);
			}
		}
	}

	static void together(int threads, ThrowingConsumer action) throws Exception {
		ExecutorService pool = Executors.newFixedThreadPool(threads);
		try {
			List<Future<?>> running = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				int number = i;
				running.add(pool.submit(() -> {
					action.accept(number);
					return null;
				}));
			}
			for (Future<?> each : running) {
				each.get();
			}
		}
		finally {
			pool.shutdownNow();
		}
	}

	interface ThrowingConsumer {

		void accept(int number) throws Exception;

	}

	record Plan(String name, int steps) {
	}

	@JsonInclude(JsonInclude.Include.NON_EMPTY)
	record Progress(@Nullable Integer maxSteps, @Nullable String name, @Nullable Progress plan) {
	}

	record Wrapped(@JsonUnwrapped @Nullable Plan plan) {
	}

	static final class Recorder implements ChangeListener {

		final List<Long> versions = new CopyOnWriteArrayList<>();

		final List<String> gaps = new CopyOnWriteArrayList<>();

		@Override
		public void onChange(StateChange change) {
			this.versions.add(change.version());
		}

		@Override
		public void onGap(long since, long next) {
			this.gaps.add(since + " to " + next);
		}

	}

}
