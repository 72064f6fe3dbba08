// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.List;

import io.ge.redis.ratelimit.internal.ScriptReplay.Step;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * The scripts against what they promise, in random traces at random times: calls that
 * take nothing, one or several permits, that wait for their turn, and give back what they
 * took; of one limit and of several at once.
 */
@Sized
class DecideScriptModelIntegrationTests {

	private static StandaloneRedis redis;

	private static ScriptReplay replay;

	@BeforeContainer
	static void start() {
		redis = RedisServers.standalone();
		replay = new ScriptReplay(redis.primary());
	}

	@AfterContainer
	static void stop() {
		redis.close();
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	void slidingWindowIsExact(@ForAll("bits") List<Long> bits, @ForAll long seed) {
		check(ScriptTraces.of("w", bits, seed));
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	void tokenBucketGivesBurstAndRate(@ForAll("bits") List<Long> bits, @ForAll long seed) {
		check(ScriptTraces.of("b", bits, seed));
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	void counterNeverHoldsMoreThanTheLimit(@ForAll("bits") List<Long> bits, @ForAll long seed) {
		check(ScriptTraces.of("c", bits, seed));
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	void fixedWindowNeverHoldsMoreThanTheLimit(@ForAll("bits") List<Long> bits, @ForAll long seed) {
		check(ScriptTraces.of("f", bits, seed));
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	void limitsOfAllKindsAreDecidedTogether(@ForAll("bits") List<Long> bits, @ForAll long seed) {
		check(ScriptTraces.of("wbcf".repeat(2), bits, seed));
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	void callsThatShareAScriptAreDecidedOneAfterTheOther(@ForAll("bits") List<Long> bits, @ForAll long seed,
			@ForAll("kinds") String kinds) {
		SharedTrace.of(ScriptTraces.of(kinds, bits, seed)).check(replay);
	}

	@Provide
	Arbitrary<String> kinds() {
		return Arbitraries.of("w", "b", "c", "f", "wbcf");
	}

	private static void check(List<Step> trace) {
		new ReferenceLimits().check(trace, replay.run(trace));
	}

	@Provide
	Arbitrary<List<Long>> bits() {
		return Arbitraries.longs()
			.greaterOrEqual(0)
			.withDistribution(RandomDistribution.uniform())
			.withoutEdgeCases()
			.list()
			.ofMinSize(3)
			.ofMaxSize(40);
	}

}
