// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiPredicate;

import io.ge.redis.benchmark.report.Results;
import io.ge.redis.benchmark.report.Table;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;

/**
 * Measures everything that was asked for and writes it down.
 */
public final class BenchmarkMain {

	private static final List<String> PATTERNS = List.of("ratelimit", "lock", "cache", "idempotency", "blacklist",
			"stream", "queue", "broadcast", "structures", "state", "session");

	/** Those that are not annotations on a method. */
	private static final List<String> OTHERS = List.of("stream", "queue", "broadcast", "structures", "state",
			"session");

	private static final long STARTED = System.nanoTime();

	private BenchmarkMain() {
	}

	/**
	 * Runs the benchmarks.
	 * @param arguments where the results go, the size, then patterns or names of tables;
	 * nothing for all
	 * @throws Exception if anything fails
	 */
	public static void main(String[] arguments) throws Exception {
		System.setProperty("jmh.ignoreLock", "true");
		Size size = Size.of(arguments[1]);
		List<String> wanted = Arrays.asList(arguments).subList(2, arguments.length);
		List<String> patterns = new ArrayList<>(PATTERNS);
		if (wanted.stream().anyMatch(PATTERNS::contains)) {
			patterns.retainAll(wanted);
		}
		boolean whole = wanted.isEmpty() || wanted.stream().anyMatch(PATTERNS::contains);
		List<String> tables = wanted.stream().filter((name) -> !PATTERNS.contains(name)).toList();
		try (StandaloneRedis redis = RedisServers.standalone()) {
			RedisNode node = redis.primary();
			Results results = new Results(Path.of(arguments[0]), Machine.facts(size, node));
			results.add("load of the machine before", Machine.load());
			List<String> guards = patterns.stream().filter((pattern) -> !OTHERS.contains(pattern)).toList();
			if ((whole && !guards.isEmpty()) || tables.contains("memory")) {
				try (Instance instance = new Instance(node)) {
					say("memory");
					results.add(new Memory(node, instance).measure(guards));
				}
			}
			if (wanted.isEmpty() || tables.contains(StartUp.ID)) {
				say("start of an application");
				results.add(new StartUp(size, node).run());
			}
			compare(size, node, (pattern, table) -> whole ? patterns.contains(pattern) : tables.contains(table),
					results);
			List<String> shares = (whole || tables.contains("own-share")) ? guards
					: PATTERNS.stream().filter((pattern) -> tables.contains("own-share-" + pattern)).toList();
			if (!shares.isEmpty()) {
				say("own share");
				results.add(new OwnShare(size).run(shares));
			}
			results.add("load of the machine after", Machine.load());
			results.add("duration", Duration.ofNanos(System.nanoTime() - STARTED).toSeconds() + " s");
		}
	}

	private static void compare(Size size, RedisNode node, BiPredicate<String, String> wanted, Results results)
			throws Exception {
		node.command("FLUSHALL", "SYNC");
		try (Instance instance = new Instance(node)) {
			Comparison comparison = new Comparison(node, size);
			for (Scenario scenario : new Scenarios(instance, new Monitor(node)).all()) {
				if (wanted.test(scenario.pattern(), scenario.id())) {
					say(scenario.title());
					for (Table table : comparison.run(scenario)) {
						results.add(table);
					}
				}
			}
			FormsInFlight forms = new FormsInFlight(size, instance);
			for (FormsInFlight.Subject subject : forms.subjects()) {
				if (wanted.test(subject.pattern(), subject.id())) {
					say(subject.title() + ", forms in flight");
					results.add(forms.run(subject));
				}
			}
			if (wanted.test("ratelimit", "ratelimit-script")) {
				say("Rate limit, scripts on the server");
				results.add(new ScriptCost(size, node, instance, new Monitor(node)).run());
			}
			if (wanted.test("cache", ContendedMisses.ID)) {
				say("Cache, miss under contention");
				try (Instance second = new Instance(node)) {
					results.add(new ContendedMisses(size, node, List.of(instance, second)).run());
				}
			}
			if (wanted.test("lock", "lock-contended")) {
				say("Lock, contended");
				try (Instance second = new Instance(node)) {
					results.add(new ContendedLocks(size, node, List.of(instance, second)).run());
				}
			}
			if (wanted.test("lock", "lock-hand-over")) {
				say("Lock, from instance to instance");
				handOver(size, node, instance, results);
			}
		}
		streams(size, node, wanted, results);
		if (wanted.test("queue", Deliveries.QUEUE)) {
			say("Job queue");
			try (Deliveries deliveries = new Deliveries(size, node)) {
				results.add(deliveries.queue());
			}
		}
		if (wanted.test("broadcast", Deliveries.BROADCAST)) {
			say("Broadcast");
			try (Deliveries deliveries = new Deliveries(size, node)) {
				results.add(deliveries.broadcast());
			}
		}
		structures(size, node, wanted, results);
	}

	private static void structures(Size size, RedisNode node, BiPredicate<String, String> wanted, Results results)
			throws Exception {
		node.command("FLUSHALL", "SYNC");
		try (Instance instance = new Instance(node)) {
			StructureOperations operations = new StructureOperations(size, instance);
			if (wanted.test("structures", StructureOperations.OPERATIONS)) {
				say("Structures, operations");
				results.add(operations.operations());
			}
			if (wanted.test("structures", StructureOperations.PIPELINING)) {
				say("Structures, calls made together");
				results.add(operations.pipelining());
			}
			if (wanted.test("structures", StructureAtScale.ID)) {
				say("Structures of a million");
				results.add(new StructureAtScale(size, node, instance).run());
			}
		}
		if (wanted.test("state", WorkspaceWriters.ID)) {
			say("Workspaces, fifty writers");
			try (WorkspaceWriters writers = new WorkspaceWriters(size, node)) {
				results.add(writers.run());
			}
		}
	}

	private static void streams(Size size, RedisNode node, BiPredicate<String, String> wanted, Results results)
			throws Exception {
		if (wanted.test("stream", Streams.PUBLISH)) {
			say("Stream, publish");
			try (Streams streams = new Streams(size, node)) {
				results.add(streams.publish());
			}
		}
		if (wanted.test("stream", Streams.CONSUME)) {
			say("Stream, consume");
			try (Streams streams = new Streams(size, node)) {
				results.add(streams.consume());
			}
		}
		if (wanted.test("stream", IdleStreams.ID)) {
			say("Streams, idle");
			results.add(new IdleStreams(node).run());
		}
	}

	private static void handOver(Size size, RedisNode node, Instance first, Results results) throws Exception {
		List<Instance> instances = new ArrayList<>(List.of(first));
		try {
			while (instances.size() < size.instances()) {
				instances.add(new Instance(node));
			}
			results.add(new ContendedLocks(size, node, instances).handOver());
		}
		finally {
			instances.subList(1, instances.size()).forEach(Instance::close);
		}
	}

	private static void say(String what) {
		long seconds = Duration.ofNanos(System.nanoTime() - STARTED).toSeconds();
		System.out.printf("[%02d:%02d] load %s: %s%n", seconds / 60, seconds % 60, Machine.load(), what);
	}

}
