/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.benchmark;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.ge.redis.benchmark.report.Results;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;

/**
 * Measures everything that was asked for and writes it down.
 */
public final class BenchmarkMain {

	private static final List<String> PATTERNS = List.of("ratelimit", "lock", "cache", "idempotency", "blacklist");

	private static final long STARTED = System.nanoTime();

	private BenchmarkMain() {
	}

	/**
	 * Runs the benchmarks.
	 * @param arguments where the results go, the size, then patterns or "own-share",
	 * "memory"; nothing for all
	 * @throws Exception if anything fails
	 */
	public static void main(String[] arguments) throws Exception {
		System.setProperty("jmh.ignoreLock", "true");
		Size size = Size.of(arguments[1]);
		List<String> wanted = Arrays.asList(arguments).subList(2, arguments.length);
		boolean everything = wanted.isEmpty();
		List<String> patterns = new ArrayList<>(PATTERNS);
		if (wanted.stream().anyMatch(PATTERNS::contains)) {
			patterns.retainAll(wanted);
		}
		boolean onlyParts = !everything && wanted.stream().noneMatch(PATTERNS::contains);
		try (StandaloneRedis redis = RedisServers.standalone()) {
			RedisNode node = redis.primary();
			Results results = new Results(Path.of(arguments[0]), Machine.facts(size, node));
			results.add("load of the machine before", Machine.load());
			if (!onlyParts || wanted.contains("memory")) {
				try (Instance instance = new Instance(node)) {
					say("memory");
					results.add(new Memory(node, instance).measure(patterns));
				}
			}
			if (!onlyParts) {
				compare(size, node, patterns, results);
			}
			if (!onlyParts || wanted.contains("own-share")) {
				say("own share");
				results.add(new OwnShare(size).run(patterns));
			}
			results.add("load of the machine after", Machine.load());
			results.add("duration", Duration.ofNanos(System.nanoTime() - STARTED).toSeconds() + " s");
		}
	}

	private static void compare(Size size, RedisNode node, List<String> patterns, Results results) throws Exception {
		node.command("FLUSHALL", "SYNC");
		try (Instance instance = new Instance(node)) {
			Comparison comparison = new Comparison(node, size);
			for (Scenario scenario : new Scenarios(instance, new Monitor(node)).all()) {
				if (patterns.contains(scenario.pattern())) {
					say(scenario.title());
					results.add(comparison.run(scenario));
				}
			}
			if (patterns.contains("lock")) {
				say("Lock, contended");
				try (Instance second = new Instance(node)) {
					results.add(new ContendedLocks(size, List.of(instance, second)).run());
				}
			}
		}
	}

	private static void say(String what) {
		long seconds = Duration.ofNanos(System.nanoTime() - STARTED).toSeconds();
		System.out.printf("[%02d:%02d] load %s: %s%n", seconds / 60, seconds % 60, Machine.load(), what);
	}

}
