// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.test.RedisErrorReplyException;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What the scripts leave in Redis, and what they tell the instances; as they are, on the
 * server's own clock, except where a state takes long to fill.
 */
class DecideScriptStateIntegrationTests {

	private static final long HOUR = 3_600_000_000L;

	private static final String AGES = String.valueOf(TestLimiter.AGES.toNanos() / 1000);

	private static final String[] KINDS = { "w", "b", "c", "f" };

	private static StandaloneRedis redis;

	@BeforeAll
	static void start() {
		redis = RedisServers.standalone();
	}

	@AfterAll
	static void stop() {
		redis.close();
	}

	@BeforeEach
	void forget() {
		redis.flushAll();
	}

	@Test
	void deniedCallLeavesEveryKeyAsItWas() {
		assertThat(decideAll(2, 1).get(0)).isEqualTo(1L);
		List<Object> before = dumps();
		List<Long> ttls = ttls();
		// Three of four allow it
		assertThat(decide("w", 4, 2, "c", 3, 2, "f", 4, 2, "b", 2, 2).get(0)).isEqualTo(0L);
		assertThat(decideAll(2, 0).get(0)).isEqualTo(1L);
		assertThat(dumps()).isEqualTo(before);
		List<Long> later = ttls();
		for (int i = 0; i < KINDS.length; i++) {
			assertThat(later.get(i)).isPositive().isLessThanOrEqualTo(ttls.get(i));
		}
	}

	@Test
	void withoutMemoryAllIsChargedOrNothing() {
		redis.primary().exhaustMemory();
		try {
			assertThatExceptionOfType(RedisErrorReplyException.class).isThrownBy(() -> decideAll(10, 1))
				.withMessageContaining("OOM");
			assertThat((List<?>) command("KEYS", "*")).isEmpty();
			// With something to delete first, the rest may be written
			redis.primary().freeMemory();
			at(-HOUR, "w", key("w"), 10, HOUR, 1);
			redis.primary().exhaustMemory();
			assertThat(at(HOUR, "w", key("w"), 10, HOUR, 1).get(0)).isEqualTo(1L);
			assertThat(ttl(key("w"))).isPositive();
		}
		finally {
			redis.primary().freeMemory();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "w", "b", "c", "f" })
	void refundRestoresWhatWasTakenOnceAndKeepsTheTtl(String kind) {
		at(0, kind, key(kind), 10, HOUR, 3);
		Object before = content(kind);
		List<?> taken = at(0, kind, key(kind), 10, HOUR, 4);
		assertThat(content(kind)).isNotEqualTo(before);
		long ttl = ttl(key(kind));
		assertThat(refund(kind, 4, taken.get(7))).containsExactly(1L);
		assertThat(content(kind)).isEqualTo(before);
		assertThat(ttl(key(kind))).isPositive().isLessThanOrEqualTo(ttl);
	}

	@Test
	void refundOfWhatIsGoneGivesNothing() {
		for (String kind : KINDS) {
			assertThat(refund(kind, 4, 42L)).containsExactly(0L);
			at(0, kind, key(kind), 10, HOUR, 3);
			Object before = content(kind);
			assertThat(refund(kind, 4, 42L)).as(kind).containsExactly(0L);
			assertThat(content(kind)).isEqualTo(before);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "w", "b", "c", "f" })
	void operatorGivesBackWhatWasTakenLast(String kind) {
		decide(kind, 10, 3);
		Object before = content(kind);
		decide(kind, 10, 4);
		List<String> arguments = List.of("channel", kind, "10", AGES, "4");
		assertThat(eval(ScriptReplay.script("give-back.lua"), List.of(key(kind)), arguments)).containsExactly(4L);
		assertThat(decide(kind, 10, 0).get(4)).isEqualTo(7L);
		if (kind.equals("b")) {
			// To the microsecond, with the scale that belongs to it
			assertThat(content(kind)).isEqualTo(before);
		}
		assertThat(ttl(key(kind))).isPositive();
	}

	@Test
	void refundTellsOfAllChangedKeysAtOnce() {
		List<?> reply = decideAll(10, 2);
		List<String> arguments = new ArrayList<>(List.of("channel"));
		for (int i = 0; i < KINDS.length; i++) {
			Object stamp = KINDS[i].equals("f") ? 0 : reply.get(7 + 4 * i);
			arguments.addAll(List.of(KINDS[i], "10", AGES, "2", String.valueOf(stamp)));
		}
		assertThat(published(ScriptReplay.script("refund.lua"), keys(), arguments)).containsExactly("channel",
				"ratelimit.forget " + String.join("\n", key("w"), key("b"), key("c")));
	}

	@Test
	void resetForgetsAndTells() {
		decideAll(10, 2);
		List<String> keys = keys();
		assertThat(published(ScriptReplay.script("reset.lua"), keys, List.of("channel"))).containsExactly("channel",
				"ratelimit.reset " + String.join("\n", keys));
		assertThat((List<?>) command("KEYS", "*")).isEmpty();
		// An instance may know of more
		assertThat(published(ScriptReplay.script("reset.lua"), keys, List.of("channel"))).hasSize(2);
	}

	@ParameterizedTest
	@CsvSource({ "w, 60, 800", "w, 100, 1250", "w, 1000, 10600", "b, 60, 80", "b, 1000, 80", "b, 4294967295, 80",
			"c, 60, 150", "c, 1000, 150", "c, 4294967295, 150", "f, 60, 150", "f, 4294967295, 150" })
	void fullStateIsSmall(String kind, long limit, long bytes) {
		String key = "ge:ratelimit:{user}:a:" + kind + "1";
		assertThat(key).hasSize(24);
		int parts = kind.equals("w") ? (int) limit : 12;
		long cost = limit / parts;
		List<?> reply = List.of();
		for (int i = 0; i < parts; i++) {
			reply = at(i * HOUR / (kind.equals("w") ? limit : 10), kind, key, limit, HOUR, cost);
		}
		assertThat(reply.get(0)).isEqualTo(1L);
		assertThat((Long) command("MEMORY", "USAGE", key)).isLessThanOrEqualTo(bytes);
		if (kind.equals("c")) {
			assertThat(command("STRLEN", key)).as("all sub-windows").isEqualTo(16L + 11 * 4);
		}
	}

	@Test
	void bucketWithACallThatWaitsIsSmall() {
		String key = "ge:ratelimit:{user}:a:b1";
		for (int i = 0; i < 5; i++) {
			eval(virtual(), List.of(key),
					List.of("0", "b", "3", "60000000", "3", "1", "99000000", "0", String.valueOf(ScriptReplay.START)));
		}
		assertThat((Long) command("MEMORY", "USAGE", key)).isLessThanOrEqualTo(128);
	}

	@Test
	void longListIsTakenAndForgottenAtOnce() {
		assertThat(at(0, "w", key("w"), 2500, HOUR, 2500).get(0)).isEqualTo(1L);
		assertThat(command("LLEN", key("w"))).isEqualTo(2500L);
		assertThat(at(HOUR, "w", key("w"), 2500, HOUR, 1).get(4)).isEqualTo(2499L);
		assertThat(command("LLEN", key("w"))).isEqualTo(1L);
	}

	/** As Redis 7.0 does if the server stands still for the whole window. */
	@Test
	void keyThatIsDeletedByItsExpiryDoesNotFailTheCall() {
		String expiry = "redis.call('PEXPIRE', limit.key, ttl(limit.last + limit.window))";
		assertThat(ScriptReplay.script("decide.lua")).containsOnlyOnce(expiry);
		List<Object> reply = eval(ScriptReplay.script("decide.lua").replace(expiry, "redis.call('DEL', limit.key)"),
				List.of(key("w")), List.of("0", "w", "3", "1000", "3", "1", "0", "0"));
		assertThat(reply.get(0)).isEqualTo(1L);
		assertThat(reply.subList(4, 7)).containsExactly(2L, 0L, 0L);
	}

	private static List<?> decideAll(long limit, long cost) {
		return decide("w", limit, cost, "b", limit, cost, "c", limit, cost, "f", limit, cost);
	}

	/** Kind, limit and cost of each. */
	private static List<?> decide(Object... limits) {
		List<String> keys = new ArrayList<>();
		List<String> arguments = new ArrayList<>(List.of("0"));
		for (int i = 0; i < limits.length; i += 3) {
			String limit = String.valueOf(limits[i + 1]);
			keys.add(key((String) limits[i]));
			arguments.addAll(List.of((String) limits[i], limit, AGES, limit, String.valueOf(limits[i + 2]), "0", "0"));
		}
		return eval(ScriptReplay.script("decide.lua"), keys, arguments);
	}

	private static List<?> at(long time, String kind, String key, long limit, long window, long cost) {
		return eval(virtual(), List.of(key), List.of("0", kind, String.valueOf(limit), String.valueOf(window),
				String.valueOf(limit), String.valueOf(cost), "0", "0", String.valueOf(ScriptReplay.START + time)));
	}

	private static String virtual() {
		return ScriptReplay.script("decide.lua")
			.replace(ScriptReplay.CLOCK_LINE, "local clock = {0, tonumber(table.remove(ARGV))}");
	}

	private static List<Object> refund(String kind, long permits, Object stamp) {
		String script = ScriptReplay.script("refund.lua")
			.replace(ScriptReplay.CLOCK_LINE, "local clock = {0, tonumber(table.remove(ARGV))}");
		return new ArrayList<>(eval(script, List.of(key(kind)), List.of("channel", kind, "10", String.valueOf(HOUR),
				String.valueOf(permits), String.valueOf(stamp), String.valueOf(ScriptReplay.START))));
	}

	/** The arguments of all PUBLISH that the script sends, in sequence. */
	private static List<Object> published(String script, List<String> keys, List<String> arguments) {
		String spy = """
				local server, sent = redis, {}
				local redis = {call = server.call, pcall = function(name, ...)
				  for _, argument in ipairs({...}) do
				    sent[#sent + 1] = name == 'PUBLISH' and argument or name
				  end
				  return server.pcall(name, ...)
				end}
				local function run()
				""" + script + "\nend\nrun()\nreturn sent";
		return eval(spy, keys, arguments);
	}

	private static List<Object> eval(String script, List<String> keys, List<String> arguments) {
		List<String> parts = new ArrayList<>(List.of("EVAL", script, String.valueOf(keys.size())));
		parts.addAll(keys);
		parts.addAll(arguments);
		return new ArrayList<>((List<?>) command(parts.toArray(String[]::new)));
	}

	private static Object command(String... parts) {
		return redis.primary().command(parts);
	}

	private static Object content(String kind) {
		return kind.equals("w") ? command("LRANGE", key(kind), "0", "-1") : command("GET", key(kind));
	}

	private static List<Object> dumps() {
		List<Object> dumps = new ArrayList<>();
		keys().forEach((key) -> dumps.add(command("DUMP", key)));
		return dumps;
	}

	private static List<Long> ttls() {
		return keys().stream().map(DecideScriptStateIntegrationTests::ttl).toList();
	}

	private static long ttl(String key) {
		return (Long) command("PTTL", key);
	}

	private static List<String> keys() {
		List<String> keys = new ArrayList<>();
		for (String kind : KINDS) {
			keys.add(key(kind));
		}
		return keys;
	}

	private static String key(String kind) {
		return "ge:ratelimit:{some one}:a:" + kind + "1";
	}

}
