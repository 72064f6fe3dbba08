// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import io.ge.redis.breaker.CircuitBreakers;
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

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts of breakers against a model in memory, in random traces: reports that are
 * lost or repeated, instances that die with a probe, operators, a clock that is set back,
 * and lost data. Each reply is the one of the model.
 */
@Sized
class ReportScriptModelIntegrationTests {

	private static final int STEPS = 80;

	private static final List<String> KEYS = List.of("ge:breaker:{s}:1", "ge:breaker:{s}:1:r");

	private static final List<Long> PAUSES = List.of(0L, 1L, 90L, 400L, 3000L);

	private static StandaloneRedis redis;

	private long now;

	private CircuitModel model;

	private final Map<String, Long> versions = new HashMap<>();

	private final Map<String, Long> probes = new HashMap<>();

	@BeforeContainer
	static void start() {
		redis = RedisServers.standalone();
	}

	@AfterContainer
	static void stop() {
		redis.close();
	}

	@Property(shrinking = ShrinkingMode.OFF)
	void repliesAreThoseOfTheModel(@ForAll long seed) {
		Random random = new Random(seed);
		int live = 1 + random.nextInt(5);
		BreakerSettings settings = settings(random);
		this.now = 1_800_000_000_000L;
		forget(settings);
		long version = 0;
		for (int step = 0; step < STEPS; step++) {
			this.now += PAUSES.get(random.nextInt(PAUSES.size()));
			switch (random.nextInt(100)) {
				case 0 -> {
					forget(settings);
					version = 0;
				}
				case 1 -> this.now -= random.nextInt(60_000);
				case 2, 3, 4 -> force(random, settings);
				default -> report(random, settings, "i" + random.nextInt(live), live);
			}
			assertThat(this.model.leases.size() + this.model.succeeded).isLessThanOrEqualTo(settings.probes());
			assertThat(this.model.version).isGreaterThanOrEqualTo(version);
			version = this.model.version;
			for (String key : KEYS) {
				assertThat((Long) redis.primary().command("PTTL", key)).as(key).isNotEqualTo(-1);
			}
		}
	}

	@Example
	void forcedStateHasATtlHoweverLongItIs() {
		redis.flushAll();
		run("force", KEYS.subList(0, 1), "news", "breaker s", 60_000, "FORCED_OPEN", 100_000_000_000_000_000L, "me",
				"why");
		assertThat((Long) redis.primary().command("PTTL", KEYS.get(0))).isPositive();
	}

	private static BreakerSettings settings(Random random) {
		boolean slow = random.nextBoolean();
		return new BreakerSettings("s", 50, slow ? 60 : 0, slow ? Duration.ofSeconds(1) : null, Duration.ofSeconds(10),
				3 + random.nextInt(20), Duration.ofMillis(500), Duration.ofSeconds(3), 1 + random.nextInt(3),
				Duration.ofMillis(700), FailureRule.DEFAULT, false);
	}

	private void forget(BreakerSettings settings) {
		redis.flushAll();
		this.model = new CircuitModel(settings);
		this.versions.clear();
		this.probes.clear();
	}

	private void report(Random random, BreakerSettings settings, String instance, int live) {
		long calls = random.nextInt(30);
		long failures = random.nextBoolean() ? calls : random.nextInt((int) calls + 1);
		long slow = random.nextInt((int) (calls - failures) + 1);
		long more = random.nextInt(60);
		CircuitModel.Sums sums = new CircuitModel.Sums(0, calls, failures, slow, calls + more,
				failures + random.nextInt((int) more + 1), slow);
		boolean wanted = random.nextInt(3) > 0;
		long ended = (random.nextInt(3) > 0) ? this.probes.getOrDefault(instance, 0L) : 0;
		String result = (ended == 0) ? "" : List.of("ok", "ok", "ok", "failed", "released").get(random.nextInt(5));
		// What an instance knows that has missed a reply
		long known = (random.nextInt(10) > 0) ? this.model.version : this.versions.getOrDefault(instance, 0L);
		for (int times = (random.nextInt(10) > 0) ? 1 : 2; times > 0; times--) {
			CircuitModel.Reply expected = this.model.report(this.now, instance, live, sums, wanted, ended, result,
					known);
			List<String> reply = run("report", KEYS, instance, "news", "breaker s", 60_000, live,
					settings.failureRate(), settings.slowCallRate(), settings.minimumCalls(),
					settings.window().toMillis(), settings.openFor().toMillis(), settings.maxOpenFor().toMillis(),
					settings.probes(), settings.probeLease().toMillis(), calls, failures, slow, sums.calls(),
					sums.failures(), sums.slow(), wanted ? 1 : 0, ended, result, known);
			assertThat(reply).isEqualTo(expected.fields());
			this.versions.put(instance, expected.version());
			this.probes.put(instance, expected.lease());
		}
	}

	private void force(Random random, BreakerSettings settings) {
		String to = List.of("FORCED_OPEN", "DISABLED", "CLOSED", "AUTO").get(random.nextInt(4));
		this.model.force(this.now, to.startsWith("F") || to.startsWith("D") ? to.substring(0, 1) : to, 2000);
		run("force", KEYS.subList(0, 1), "news", "breaker s", 60_000, to, 2000, "me", "why");
	}

	private List<String> run(String script, List<String> keys, Object... arguments) {
		String text = new String(LuaScript.functions(CircuitBreakers.class, script + ".lua").text(),
				StandardCharsets.UTF_8)
			.replace("redis.call('TIME')", "{%d, %d}".formatted(this.now / 1000, this.now % 1000 * 1000));
		List<String> command = new ArrayList<>(List.of("EVAL", text, String.valueOf(keys.size())));
		command.addAll(keys);
		Stream.of(arguments).map(String::valueOf).forEach(command::add);
		return ((List<?>) redis.primary().command(command.toArray(String[]::new))).stream()
			.map(String::valueOf)
			.toList();
	}

}
