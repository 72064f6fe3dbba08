// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.script;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.structure.Bound;
import io.ge.redis.core.structure.StructureContract;
import io.ge.redis.core.structure.StructureMismatchException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;

/**
 * The promises of entity scripts.
 */
abstract class EntityScriptsContract extends StructureContract {

	private static final EntityScript<Boolean> SET = script("set", Boolean.class, """
			redis.call('HSET', KEYS[1], 'status', ARGV[1])
			redis.call('SADD', KEYS[2], ARGV[1])
			renew(KEYS[1])
			renew(KEYS[2])
			return true""");

	private static final EntityScript<Boolean> COMPARE_AND_SET = script("compare-and-set", Boolean.class, """
			if (redis.call('HGET', KEYS[1], 'status') or '') ~= ARGV[1] then
			  return false
			end
			redis.call('HSET', KEYS[1], 'status', ARGV[2])
			return true""");

	private static final EntityScript<String> GET = script("get", String.class,
			"return redis.call('HGET', KEYS[1], 'status')");

	private EntityScripts scripts;

	@BeforeEach
	void assemble() {
		this.scripts = scripts(backend());
	}

	private static EntityScripts scripts(RedisBackend backend) {
		ScriptProperties properties = Bound.of(ScriptProperties.class, "ge.redis.script.entities", "agents.ttl", "1h",
				"permanent.permanent", "true");
		return new RedisEntityScripts(properties, backend);
	}

	private static <T> EntityScript<T> script(String name, Class<T> reply, String text) {
		return new EntityScript<>(name, text, reply, List.of("status", "active"));
	}

	@Override
	protected List<Operation> operations(RedisBackend backend) {
		return operations(backend, "agents");
	}

	@Override
	protected List<Operation> operations(RedisBackend backend, String name) {
		EntityScripts scripts = scripts(backend);
		return List.of(
				new Operation("set", () -> scripts.runAsync(SET, name, "a", "idle"),
						() -> scripts.run(SET, name, "a", "idle")),
				new Operation("get", () -> scripts.runAsync(GET, name, "a"), () -> scripts.run(GET, name, "a")),
				new Operation("compare and set", () -> scripts.runAsync(COMPARE_AND_SET, name, "a", "idle", "busy"),
						() -> scripts.run(COMPARE_AND_SET, name, "a", "idle", "busy")));
	}

	@Override
	protected String key() {
		return "ge:script:{agents:a}:status";
	}

	@Test
	void decidesAndWritesInOneStep() {
		assertThat(this.scripts.run(COMPARE_AND_SET, "agents", "a", "", "idle")).isTrue();
		assertThat(this.scripts.run(COMPARE_AND_SET, "agents", "a", "", "busy")).isFalse();
		assertThat(this.scripts.run(COMPARE_AND_SET, "agents", "a", "idle", "busy")).isTrue();
		assertThat(this.scripts.run(GET, "agents", "a")).isEqualTo("busy");
		assertThat(keys()).containsExactly("ge:script:{agents:a}:status");
	}

	@Test
	void repliesAsDeclared() {
		List<Map.Entry<EntityScript<?>, Object>> replies = List.of(entry(script("a", Long.class, "return 42"), 42L),
				entry(script("b", Long.class, "return '9007199254740993'"), 9007199254740993L),
				entry(script("c", String.class, "return redis.status_reply('FINE')"), "FINE"),
				entry(script("d", String.class, "return ARGV[1]"), "\u00e4{}:\u0000"),
				entry(script("e", List.class, "return {1, 'b', {2, 'c'}}"), List.of(1L, "b", 2L, "c")),
				entry(script("f", List.class, "return {}"), List.of()),
				entry(script("g", Boolean.class, "return 0"), false),
				entry(script("h", Boolean.class, "local a = 1 -- without return"), false));
		replies
			.forEach((reply) -> assertThat((Object) this.scripts.run(reply.getKey(), "agents", "a", "\u00e4{}:\u0000"))
				.isEqualTo(reply.getValue()));
		Map<EntityScript<?>, String> others = Map.of(script("nil", Long.class, "return nil"), "It must reply with Long",
				script("word", Long.class, "return 'many'"), "no whole number: many. It must reply with Long",
				script("none", String.class, "return {}"), "It must reply with String",
				script("hole", List.class, "return {1, false}"), "It must reply with List");
		others.forEach((script, problem) -> assertThatExceptionOfType(EntityScriptException.class).as(script.name())
			.isThrownBy(() -> this.scripts.run(script, "agents", "a"))
			.withMessageContainingAll("Entity script '" + script.name() + "': ", problem));
	}

	@Test
	void namesTheLineOfAnError() {
		Map<String, String> failures = Map.of("local a = 1\nif a then\nreturn", "line 3: 'end' expected",
				"\n\nreturn nothing.at_all", "line 3", "return redis.error_reply('STATE not active')",
				"STATE not active", "\nerror('own problem')", "line 2: own problem",
				"return redis.call('NOSUCH', KEYS[1])", "nknown");
		failures.forEach((text, problem) -> assertThatExceptionOfType(EntityScriptException.class).as(text)
			.isThrownBy(() -> this.scripts.run(script("broken", Long.class, text), "agents", "a"))
			.withMessageContainingAll("Entity script 'broken': ", problem)
			.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("user_script")));
	}

	@Test
	void everyKeyLivesAsLongAsItsKindUnlessTheScriptSaysOtherwise() throws Exception {
		EntityScript<Long> own = script("own", Long.class,
				"redis.call('SET', KEYS[1], 'a', 'PX', '600000') redis.call('SADD', KEYS[2], 'a') return 1");
		this.scripts.run(own, "agents", "a");
		assertLife("status", Duration.ofMinutes(9), Duration.ofMinutes(10));
		assertLife("active", Duration.ofMinutes(59), Duration.ofHours(1));
		EntityScript<Boolean> renew = script("renew", Boolean.class, "renew(KEYS[1])");
		this.scripts.run(renew, "agents", "a");
		assertLife("status", Duration.ofMinutes(59), Duration.ofHours(1));
		redis().flushAll();
		EntityScript<Long> failing = script("failing", Long.class,
				"redis.call('SET', KEYS[1], 'a') return redis.call('LPUSH', KEYS[1], 'b')");
		assertThatExceptionOfType(StructureMismatchException.class)
			.isThrownBy(() -> this.scripts.run(failing, "agents", "a"));
		assertThat(keys()).as("what it wrote before").containsExactly(key());
		assertLife("status", Duration.ofMinutes(59), Duration.ofHours(1));
		this.scripts.run(SET, "permanent", "a", "idle");
		assertThat(redis().keysWithoutTtl()).contains("ge:script:{permanent:a}:status");
		forgetPermanent();
	}

	private void assertLife(String key, Duration from, Duration to) throws Exception {
		direct((template) -> assertThat(Duration.ofSeconds(template.getExpire("ge:script:{agents:a}:" + key)))
			.isBetween(from, to));
	}

	@Test
	void runsAgainAfterTheServerHasForgottenTheScript() {
		this.scripts.run(SET, "agents", "a", "idle");
		redis().endpoints().forEach((endpoint) -> endpoint.command("SCRIPT", "FLUSH"));
		assertThat(this.scripts.run(SET, "agents", "a", "busy")).isTrue();
	}

	@Test
	void refusesWhatCannotWork() {
		refuses("id must have neither braces", () -> this.scripts.run(GET, "agents", "a{b}"));
		refuses("id must have from 1 to 200 bytes", () -> this.scripts.run(GET, "agents", ""));
		refuses("argument must not be null", () -> this.scripts.run(GET, "agents", "a", "x", null));
		refuses("argument must be text", () -> this.scripts.run(GET, "agents", "a", "\ud800"));
		refuses("strings, bytes and whole numbers, not java.lang.Double",
				() -> this.scripts.run(GET, "agents", "a", 1.5));
		refuses("The number of arguments must be from 0 to 1000",
				() -> this.scripts.run(GET, "agents", "a", Arrays.copyOf(new Object[] { 1 }, 1001)));
		assertThat(keys()).isEmpty();
	}

}
