// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.bloom;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.structure.StructureCalls;
import io.ge.redis.core.structure.TimedScripts;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts of a Bloom filter against sets in memory, in random traces at random times:
 * a value is known in the generation in which it was added, and in the next one. The
 * filter is so large that it errs in no trace.
 */
@Sized
class BloomModelIntegrationTests {

	private static final int STEPS = 40;

	private static final int WORDS = 7;

	/** Long enough that no key expires while a trace is played. */
	private static final long GENERATION = 1_000_000;

	private static final String KEY = "ge:bloom:{m}";

	private static StandaloneRedis redis;

	/** Milliseconds. */
	private long now;

	private final Map<Long, Set<Integer>> generations = new TreeMap<>();

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
		redis.flushAll();
		this.generations.clear();
		this.now = 1_800_000_000_000L + random.nextInt(1_000_000_000);
		for (int step = 0; step < STEPS; step++) {
			this.now += List.of(0L, 1L, 300_000L, 1_000_000L).get(random.nextInt(4));
			List<Integer> values = random.ints(1 + random.nextInt(3), 0, 20).boxed().toList();
			boolean adds = random.nextBoolean();
			StringBuilder expected = new StringBuilder();
			for (int value : values) {
				boolean known = isKnown(value);
				expected.append((known != adds) ? '1' : '0');
				if (adds) {
					generation(0).add(value);
				}
			}
			assertThat(run(adds ? "add" : "check", values)).containsExactly(expected.toString());
			if (adds) {
				livesUntilTheNextGenerationEnds(String.valueOf(this.now / GENERATION));
				livesUntilTheNextGenerationEnds("parameters");
			}
		}
	}

	private void livesUntilTheNextGenerationEnds(String key) {
		long lives = 2 * GENERATION - this.now % GENERATION;
		// The time of the server goes on
		assertThat((Long) redis.primary().command("PTTL", KEY + ":" + key)).isBetween(lives - GENERATION / 2, lives);
	}

	private boolean isKnown(int value) {
		return generation(0).contains(value) || generation(1).contains(value);
	}

	private Set<Integer> generation(int ago) {
		return this.generations.computeIfAbsent(this.now / GENERATION - ago, (number) -> new HashSet<>());
	}

	private List<String> run(String script, List<Integer> values) {
		List<Object> arguments = new ArrayList<>(List.of("parameters", GENERATION, 1 << 15, WORDS, 1000, "0.01"));
		for (int value : values) {
			Random hashes = new Random(value);
			arguments.add(hashes.nextLong() >>> 16);
			arguments.add(hashes.ints(WORDS, 0, 7)
				.mapToObj((bit) -> "%c\0\0\0".formatted(1 << bit))
				.collect(Collectors.joining()));
		}
		LuaScript blocks = LuaScript.functions(RedisBloomFilters.class, "blocks.lua", StructureCalls.KEEP);
		return TimedScripts.run(redis, LuaScript.load(RedisBloomFilters.class, script + ".lua", blocks),
				this.now * 1000, KEY, arguments.toArray());
	}

}
