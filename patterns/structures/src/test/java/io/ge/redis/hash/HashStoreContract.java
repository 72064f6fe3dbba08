// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.hash;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.structure.Bound;
import io.ge.redis.core.structure.StructureContract;
import io.ge.redis.core.structure.StructureMismatchException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.util.Assert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;

/**
 * The promises of hash stores.
 */
abstract class HashStoreContract extends StructureContract {

	private HashStore store;

	@BeforeEach
	void assemble() {
		this.store = store(backend());
	}

	private static HashStore store(RedisBackend backend) {
		return store(backend, JsonMapper.shared());
	}

	private static HashStore store(RedisBackend backend, JsonMapper mapper) {
		HashProperties properties = Bound.of(HashProperties.class, "ge.redis.hash.stores", "agents.ttl", "1h",
				"agents.max-value-size", "100B", "permanent.permanent", "true");
		return new RedisHashStore(properties, backend, mapper);
	}

	@Override
	protected List<Operation> operations(RedisBackend backend) {
		return operations(backend, "agents");
	}

	@Override
	protected List<Operation> operations(RedisBackend backend, String name) {
		HashStore store = store(backend);
		Agent agent = new Agent("idle", null, List.of("java"));
		return List.of(new Operation("put", () -> store.putAsync(name, "a", agent), () -> store.put(name, "a", agent)),
				new Operation("put again", () -> store.putAsync(name, "a", Map.of("status", "busy")),
						() -> store.put(name, "a", Map.of("status", "busy"))),
				new Operation("increment", () -> store.incrementAsync(name, "a", "steps", 2),
						() -> store.increment(name, "a", "steps", 2)),
				new Operation("get", () -> store.getAsync(name, "a", Agent.class),
						() -> store.get(name, "a", Agent.class)),
				new Operation("get some", () -> store.getAsync(name, "a", Map.class, "status", "steps"),
						() -> store.get(name, "a", Map.class, "status", "steps")),
				new Operation("get none", () -> store.getAsync(name, "a", Map.class, "other"),
						() -> store.get(name, "a", Map.class, "other")),
				new Operation("get nothing", () -> store.getAsync(name, "c", Map.class, "status"),
						() -> store.get(name, "c", Map.class, "status")),
				new Operation("get all", () -> store.getAllAsync(name, List.of("a", "a"), Agent.class),
						() -> store.getAll(name, List.of("a", "a"), Agent.class)),
				new Operation("remove", () -> store.removeAsync(name, "a"), () -> store.remove(name, "a")),
				new Operation("put anew", () -> store.putAsync(name, "a", Map.of("status", "new")),
						() -> store.put(name, "a", Map.of("status", "new"))));
	}

	@Override
	protected List<Operation> writes(RedisBackend backend, String property, String value) {
		HashStore store = new RedisHashStore(
				Bound.of(HashProperties.class, "ge.redis.hash.stores", "permanent." + property, value), backend,
				JsonMapper.shared());
		return List.of(write("put", () -> store.put("permanent", "a", new Agent("idle", "GE-42", List.of()))),
				write("put without a value", () -> store.put("permanent", "a", new Agent("idle", null, List.of()))),
				write("increment", () -> store.increment("permanent", "a", "steps", 1)));
	}

	@Override
	protected String key() {
		return "ge:hash:{agents:a}";
	}

	@Override
	protected Set<String> elsewhere() {
		return Set.of("get nothing");
	}

	@Test
	void keepsAnObjectByItsFields() {
		assertThat(this.store.get("agents", "a", Agent.class)).isEmpty();
		Agent agent = new Agent("working", "GE-42", List.of("java", "lua"));
		assertThat(this.store.put("agents", "a", agent)).isTrue();
		assertThat(this.store.get("agents", "a", Agent.class)).contains(agent);
		assertThat(this.store.put("agents", "a", Map.of("status", "idle"))).isFalse();
		assertThat(this.store.get("agents", "a", Agent.class)).contains(new Agent("idle", "GE-42", agent.skills()));
		Map<String, @Nullable Object> change = new HashMap<>();
		change.put("task", null);
		this.store.put("agents", "a", change);
		assertThat(this.store.get("agents", "a", Map.class, "status", "task", "other").orElseThrow()).hasSize(1)
			.containsEntry("status", "idle");
		assertThat(this.store.remove("agents", "a")).isTrue();
		assertThat(this.store.remove("agents", "a")).isFalse();
		assertThat(keys()).isEmpty();
	}

	@Test
	void anObjectExistsWithoutTheFieldsThatAreRead() {
		this.store.increment("agents", "a", "steps", 1);
		assertThat(this.store.get("agents", "a", Map.class, "status")).contains(Map.of());
		Map<String, @Nullable Object> removal = new HashMap<>();
		removal.put("steps", null);
		assertThat(this.store.put("agents", "a", removal)).isFalse();
		assertThat(this.store.put("agents", "new", removal)).isFalse();
		this.store.put("permanent", "a", Map.of("steps", 1));
		this.store.put("permanent", "a", removal);
		assertThat(this.store.get("agents", "a", Map.class, "steps")).isEmpty();
		assertThat(this.store.get("permanent", "a", Map.class, "steps")).isEmpty();
		assertThat(keys()).isEmpty();
	}

	@Test
	void readsManyObjectsWithOneCommandForEachSlot() throws Exception {
		List<String> ids = IntStream.range(0, 100).mapToObj((i) -> "agent-" + i).toList();
		ids.forEach((id) -> this.store.put("agents", id, Map.of("status", "idle", "id", id)));
		long slots = backend().redis("hash").isClustered()
				? ids.stream().map((id) -> ClusterSlotHashUtil.calculateSlot("agents:" + id)).distinct().count() : 1;
		assertThat(scriptsOf(() -> assertThat(this.store.getAll("agents", ids, Map.class, "id")).containsOnlyKeys(ids)
			.allSatisfy((id, agent) -> assertThat(agent).isEqualTo(Map.of("id", id))))).isEqualTo(slots);
		assertThat(scriptsOf(() -> this.store.getAll("agents", ids, Map.class))).isEqualTo(slots);
	}

	@Test
	void readsManyObjectsInTheirOrderWithoutThoseThatAreMissing() throws Exception {
		this.store.put("agents", "a", Map.of("status", "idle"));
		this.store.put("agents", "b", Map.of("task", "GE-42"));
		List<String> ids = List.of("c", "b", "a", "b");
		assertThat(this.store.getAll("agents", ids, Map.class)).containsExactly(entry("b", Map.of("task", "GE-42")),
				entry("a", Map.of("status", "idle")));
		assertThat(this.store.getAll("agents", ids, Map.class, "status")).containsExactly(entry("b", Map.of()),
				entry("a", Map.of("status", "idle")));
		assertThatExceptionOfType(StructureMismatchException.class)
			.isThrownBy(() -> this.store.getAll("agents", ids, Agent.class))
			.withMessageContaining("hash store 'agents' cannot be read as");
		direct((template) -> {
			template.opsForList().rightPush("ge:hash:{agents:x}", "something else");
			template.expire("ge:hash:{agents:x}", Duration.ofMinutes(1));
		});
		assertThatExceptionOfType(StructureMismatchException.class)
			.isThrownBy(() -> this.store.getAll("agents", List.of("a", "x"), Map.class))
			.withMessageContainingAll("x", "holds data of another type");
	}

	@Test
	void refusesBadBulks() {
		refusesBadBulks((ids) -> this.store.getAll("agents", ids, Map.class));
		refuses("elements must not be null", () -> this.store.getAll("agents", null, Map.class));
	}

	@Test
	void needsNoScriptsWhereACommandWillDo() {
		this.store.put("permanent", "a", Map.of("status", "idle"));
		sends("hmget", () -> this.store.get("permanent", "a", Map.class, "status"));
		sends("hmget", () -> this.store.get("permanent", "b", Map.class, "status"));
		sends("hgetall", () -> this.store.get("agents", "a", Map.class));
		forgetPermanent();
	}

	@Test
	void keepsJsonAsItIs() {
		String json = "{\"big\":9007199254740993,\"none\":[],\"text\":\"\u00e4\\n\\\"\",\"deep\":{\"a\":[null,1.50]}}";
		JsonNode written = JsonMapper.shared().readTree(json);
		this.store.put("agents", "a", written);
		assertThat(this.store.get("agents", "a", JsonNode.class)).contains(written);
	}

	@Test
	void keepsAnyTextAsField() {
		Map<String, String> written = Map.of("a\"\\\n\u0001\u00e4\ud83d\ude00", "b");
		this.store.put("agents", "a", written);
		assertThat(this.store.get("agents", "a", Map.class)).contains(written);
		String[] fields = written.keySet().toArray(String[]::new);
		assertThat(this.store.get("agents", "a", Map.class, fields)).contains(written);
	}

	@Test
	void addsExactly() {
		assertThat(this.store.increment("agents", "a", "steps", 9007199254740993L)).isEqualTo(9007199254740993L);
		prolongs(() -> assertThat(this.store.increment("agents", "a", "steps", 2)).isEqualTo(9007199254740995L));
		assertThat(redis().keysWithoutTtl()).isEmpty();
		this.store.put("agents", "a", Map.of("status", "idle", "most", Long.MAX_VALUE));
		for (String field : Arrays.asList("status", "most")) {
			assertThatExceptionOfType(StructureMismatchException.class)
				.isThrownBy(() -> this.store.increment("agents", "a", field, 1))
				.withMessageContaining("Field '" + field + "' of hash store 'agents' cannot be incremented");
		}
		assertThat(this.store.get("agents", "a", Map.class, "status").orElseThrow()).containsEntry("status", "idle");
	}

	@Test
	void removesAndCountsByTheNamesAndWithoutTheInclusionOfTheApplication() {
		JsonMapper application = JsonMapper.builder()
			.propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
			.changeDefaultPropertyInclusion((value) -> value.withValueInclusion(JsonInclude.Include.NON_NULL)
				.withContentInclusion(JsonInclude.Include.NON_NULL))
			.build();
		HashStore store = store(backend(), application);
		store.put("agents", "a", new Counted("GE-42", 1));
		assertThat(store.increment("agents", "a", "maxSteps", 2)).isEqualTo(3);
		assertThat(store.increment("agents", "a", "max_steps", 2)).isEqualTo(5);
		store.put("agents", "a", new Counted(null, 5));
		assertThat(store.get("agents", "a", Counted.class)).contains(new Counted(null, 5));
		store.put("agents", "a", Map.of("currentTask", "GE-43"));
		assertThat(store.get("agents", "a", Counted.class, "currentTask", "maxSteps"))
			.contains(new Counted("GE-43", 5));
		store.put("agents", "a", Collections.singletonMap("currentTask", null));
		assertThat(store.get("agents", "a", Map.class)).contains(Map.of("max_steps", 5));
	}

	@Test
	void readsWhatIsMissingAsNothing() {
		this.store.put("agents", "a", Map.of("currentTask", "GE-42"));
		assertThat(this.store.get("agents", "a", Counted.class)).contains(new Counted("GE-42", 0));
		assertThatExceptionOfType(StructureMismatchException.class)
			.isThrownBy(() -> this.store.get("agents", "a", Agent.class))
			.withMessageContaining("skills is missing");
	}

	@Test
	void refusesWhatCannotBeRead() {
		this.store.put("agents", "a", Map.of("status", List.of(1)));
		assertThatExceptionOfType(StructureMismatchException.class)
			.isThrownBy(() -> this.store.get("agents", "a", Agent.class))
			.withMessageContainingAll("hash store 'agents' cannot be read as", "Agent");
	}

	@Test
	void refusesWhatCannotWork() {
		refuses("id must have neither braces", () -> this.store.put("agents", "a{b}", Map.of("x", 1)));
		refuses("id must have from 1 to 200 bytes", () -> this.store.remove("agents", "i".repeat(201)));
		refuses("field must have from 1 to 200 bytes", () -> this.store.put("agents", "a", Map.of("", 1)));
		refuses("Field 'x' has 102 bytes as JSON, more than ge.redis.hash.stores.agents.max-value-size",
				() -> this.store.put("agents", "a", Map.of("x", "v".repeat(100))));
		refuses("field must have from 1 to 200 bytes", () -> this.store.get("agents", "a", Map.class, ""));
		refuses("field must have from 1 to 200 bytes", () -> this.store.increment("agents", "a", "", 1));
		refuses("The number of fields must be from 0 to 1000",
				() -> this.store.get("agents", "a", Map.class, Collections.nCopies(1001, "x").toArray(String[]::new)));
		for (Object value : List.of("a\ud800", List.of("\udc00b"), Map.of("\ud800\ud800\udc00", 1))) {
			refuses("Field 'x' must be text, has half of a surrogate pair",
					() -> this.store.put("agents", "a", Map.of("x", value)));
		}
		refuses("field must be text", () -> this.store.put("agents", "a", Map.of("\ud800", 1)));
		refuses("state must be an object with properties", () -> this.store.put("agents", "a", "text"));
		refuses("cannot be written as JSON", () -> this.store.put("agents", "a", new Object() {

			public Object getSelf() {
				return this;
			}

		}));
		refuses("The number of fields must be from 1 to 1000", () -> this.store.put("agents", "a", Map.of()));
		Bound.refuses("ge.redis.hash.stores.x.max-value-size must be at least 1B", HashProperties.class,
				"ge.redis.hash.stores", "x.ttl", "1h", "x.max-value-size", "0B");
		assertThat(keys()).isEmpty();
	}

	record Counted(@Nullable String currentTask, int maxSteps) {
	}

	record Agent(String status, @Nullable String task, List<String> skills) {

		Agent {
			Assert.notNull(skills, "skills is missing");
		}

	}

}
