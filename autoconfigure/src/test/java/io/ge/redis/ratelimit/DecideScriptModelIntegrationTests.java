/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The script against what it promises, at times that the test chooses: the one line that
 * reads the clock is replaced.
 */
class DecideScriptModelIntegrationTests {

	private static final String CLOCK_LINE = "local clock = redis.call('TIME') -- the only reading of time";

	/** Seconds, so that nothing expires by the server's own clock while a test runs. */
	private static final long UNIT = 1_000_000;

	private static StandaloneRedis redis;

	private static String decide;

	private static String refund;

	@BeforeContainer
	static void start() {
		redis = RedisServers.standalone();
		String text = script("decide.lua");
		assertThat(text).containsOnlyOnce(CLOCK_LINE);
		decide = text.replace(CLOCK_LINE, "local clock = {0, tonumber(table.remove(ARGV))}");
		refund = script("refund.lua");
	}

	@AfterContainer
	static void stop() {
		redis.close();
	}

	@Property(tries = 150, shrinking = ShrinkingMode.BOUNDED)
	void slidingWindowNeverHoldsMoreThanTheLimit(@ForAll("pauses") List<Integer> pauses, @ForAll("limits") int limit) {
		long window = 1000 * UNIT;
		redis.flushAll();
		List<Long> admitted = new ArrayList<>();
		long now = 1_000_000 * UNIT;
		for (int pause : pauses) {
			now += pause * UNIT;
			long time = now;
			boolean expected = admitted.stream().filter((at) -> at + window > time).count() < limit;
			List<?> reply = decide("w", limit, window, 0, now);
			assertThat(reply.get(0)).isEqualTo(expected ? 1L : 0L);
			if (expected) {
				admitted.add(now);
				long live = admitted.stream().filter((at) -> at + window > time).count();
				assertThat(reply.get(2)).isEqualTo(limit - live);
			}
			else {
				long wait = (Long) reply.get(4);
				assertThat(decide("w", limit, window, 0, now + wait - 1).get(0)).isEqualTo(0L);
				long freed = admitted.get(admitted.size() - limit) + window;
				assertThat(wait).isEqualTo(freed - now);
			}
		}
	}

	@Property(tries = 150, shrinking = ShrinkingMode.BOUNDED)
	void tokenBucketAdmitsBurstPlusRate(@ForAll("pauses") List<Integer> pauses, @ForAll("limits") int burst) {
		long window = 997 * UNIT;
		long limit = 7;
		long interval = -Math.floorDiv(-window, limit);
		redis.flushAll();
		List<Long> admitted = new ArrayList<>();
		long arrival = 0;
		long now = 1_000_000 * UNIT;
		for (int pause : pauses) {
			now += pause * UNIT;
			long base = Math.max(arrival, now);
			boolean expected = base + interval - now <= burst * interval;
			List<?> reply = decide("b", limit, window, burst, now);
			assertThat(reply.get(0)).isEqualTo(expected ? 1L : 0L);
			if (expected) {
				arrival = base + interval;
				admitted.add(now);
				assertThat(reply.get(2)).isEqualTo((burst * interval - (arrival - now)) / interval);
			}
			else {
				assertThat(reply.get(4)).isEqualTo(base + interval - now - burst * interval);
			}
		}
		for (int first = 0; first < admitted.size(); first++) {
			for (int last = first; last < admitted.size(); last++) {
				long time = admitted.get(last) - admitted.get(first);
				assertThat(last - first + 1L).isLessThanOrEqualTo(burst + time / interval);
			}
		}
	}

	@Property(tries = 100, shrinking = ShrinkingMode.BOUNDED)
	void clockThatStepsBackNeverAdmitsMore(@ForAll("steps") List<Integer> steps, @ForAll("limits") int limit) {
		long window = 1000 * UNIT;
		redis.flushAll();
		long now = 1_000_000 * UNIT;
		int admitted = 0;
		long latest = 0;
		List<Long> times = new ArrayList<>();
		for (int step : steps) {
			now += step * UNIT;
			latest = Math.max(latest, now);
			if (Long.valueOf(1).equals(decide("w", limit, window, 0, now).get(0))) {
				times.add(latest);
				admitted++;
			}
		}
		assertThat(admitted).isPositive();
		for (long start : times) {
			assertThat(times.stream().filter((at) -> at >= start && at < start + window).count())
				.isLessThanOrEqualTo(limit);
		}
	}

	@Property(tries = 100, shrinking = ShrinkingMode.BOUNDED)
	void refundRestoresWhatTheAdmissionTook(@ForAll("pauses") List<Integer> pauses) {
		redis.flushAll();
		long now = 1_000_000 * UNIT;
		for (int pause : pauses) {
			now += pause * UNIT;
			if (Long.valueOf(1).equals(decide("w", 4, 1000 * UNIT, 0, now).get(0))) {
				node().command("EVAL", refund, "1", "state", String.valueOf(now), "w", "0");
				List<?> again = decide("w", 4, 1000 * UNIT, 0, now);
				assertThat(again.get(0)).isEqualTo(1L);
			}
		}
		List<?> length = List.of(node().command("LLEN", "state"));
		assertThat((Long) length.get(0)).isLessThanOrEqualTo(4);
	}

	@Property(tries = 100, shrinking = ShrinkingMode.BOUNDED)
	void refundedBucketAdmitsNoMoreThanOneThatWasNeverAsked(@ForAll("pauses") List<Integer> pauses) {
		redis.flushAll();
		long now = 1_000_000 * UNIT;
		int kept = 0;
		long started = now;
		for (int i = 0; i < pauses.size(); i++) {
			now += pauses.get(i) * UNIT;
			if (Long.valueOf(1).equals(decide("b", 10, 1000 * UNIT, 3, now).get(0))) {
				if (i % 2 == 0) {
					node().command("EVAL", refund, "1", "state", String.valueOf(now), "b", String.valueOf(100 * UNIT));
				}
				else {
					kept++;
				}
			}
		}
		assertThat((long) kept).isLessThanOrEqualTo(3 + (now - started) / (100 * UNIT) + 1);
	}

	private static List<?> decide(String kind, long limit, long window, long burst, long now) {
		return (List<?>) node().command("EVAL", decide, "1", "state", kind, String.valueOf(limit),
				String.valueOf(window), String.valueOf(burst), String.valueOf(now));
	}

	private static RedisNode node() {
		return redis.primary();
	}

	private static String script(String file) {
		try (InputStream stream = RedisRateLimiter.class.getResourceAsStream(file)) {
			return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Provide
	Arbitrary<List<Integer>> pauses() {
		return Arbitraries
			.frequencyOf(net.jqwik.api.Tuple.of(4, Arbitraries.integers().between(0, 20)),
					net.jqwik.api.Tuple.of(3, Arbitraries.integers().between(0, 400)),
					net.jqwik.api.Tuple.of(1, Arbitraries.of(999, 1000, 1001, 2500)))
			.list()
			.ofMinSize(5)
			.ofMaxSize(40);
	}

	@Provide
	Arbitrary<List<Integer>> steps() {
		return Arbitraries.integers().between(-900, 1100).list().ofMinSize(5).ofMaxSize(40);
	}

	@Provide
	Arbitrary<Integer> limits() {
		return Arbitraries.integers().between(1, 6);
	}

}
