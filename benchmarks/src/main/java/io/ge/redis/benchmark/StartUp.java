// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.ge.redis.benchmark.report.Chart;
import io.ge.redis.benchmark.report.Table;
import io.ge.redis.test.RedisNode;

/**
 * How long an application takes to start, each time in a JVM of its own: without the
 * library on its class path, the same with a first command to Redis, with the library,
 * and with guarded methods, which connect before the application is ready. The contenders
 * take turns.
 */
final class StartUp {

	static final String ID = "start-up";

	private static final int TURNS_PER_ROUND = 3;

	private static final Pattern OWN_JAR = Pattern.compile(".*/ge-redis-[^/]*\\.jar");

	/**
	 * Belongs to other benchmarks, or to tests, which configure logging. Spring looks
	 * into RxJava, which Redisson brings, when it first asks for types of publishers.
	 */
	private static final Pattern OTHER_JAR = Pattern
		.compile(".*/(bucket4j|redisson|rxjava|spring-integration|spring-messaging|ge-redis-testing"
				+ "|ge-redis-[^/]*-tests)[^/]*\\.jar");

	private final Size size;

	private final RedisNode node;

	StartUp(Size size, RedisNode node) {
		this.size = size;
		this.node = node;
	}

	Table run() throws IOException, InterruptedException {
		Map<Contender, List<Double>> seconds = new EnumMap<>(Contender.class);
		for (int turn = -1; turn < this.size.rounds() * TURNS_PER_ROUND; turn++) {
			List<Contender> order = new ArrayList<>(List.of(Contender.values()));
			Collections.rotate(order, turn);
			for (Contender contender : order) {
				double taken = start(contender) / 1000.0;
				// The first turn reads the files
				if (turn >= 0) {
					seconds.computeIfAbsent(contender, (first) -> new ArrayList<>()).add(taken);
				}
			}
		}
		List<List<String>> rows = new ArrayList<>();
		List<Chart.Bar> bars = new ArrayList<>();
		List<Map<String, Object>> data = new ArrayList<>();
		double plain = Spread.of(seconds.getOrDefault(Contender.PLAIN, List.of()), Double::doubleValue).median();
		seconds.forEach((contender, taken) -> {
			Spread spread = Spread.of(taken, Double::doubleValue);
			rows.add(List.of(contender.label, Comparison.format("%.2f", spread.median()),
					Comparison.format("%.2f to %.2f", spread.low(), spread.high()),
					Comparison.format("%+.2f", spread.median() - plain)));
			bars.add(new Chart.Bar(contender.label, spread.low(), spread.median(), spread.high(), contender.guarded));
			data.add(Map.of("contender", contender.label, "seconds", taken));
		});
		return new Table(ID, "Start of an application",
				"Seconds from the start of the JVM until the application is ready; medians and quartiles.",
				List.of("application", "s", "quartiles", "more than without"), rows,
				new Chart("Start of an application", "seconds", 0, List.of(new Chart.Group("", bars))), data);
	}

	private long start(Contender contender) throws IOException, InterruptedException {
		String classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> !OTHER_JAR.matcher(entry).matches())
			.filter((entry) -> contender.guarded || !OWN_JAR.matcher(entry).matches())
			.collect(Collectors.joining(File.pathSeparator));
		List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java", "-cp", classPath,
				"-Dlogging.level.root=warn", "-Dspring.main.banner-mode=off",
				"-Dspring.data.redis.host=" + this.node.host(), "-Dspring.data.redis.port=" + this.node.port(),
				"-D" + StartUpApplication.CONNECTS + "=" + (contender == Contender.CONNECTED),
				StartUpApplication.class.getName()));
		if (contender == Contender.GUARDED) {
			command.add(Guarded.class.getName());
		}
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		List<String> lines;
		try (BufferedReader output = process.inputReader()) {
			lines = output.lines().toList();
		}
		if (process.waitFor() != 0) {
			throw new IllegalStateException("The application ended with " + process.exitValue() + ": " + lines);
		}
		return lines.stream()
			.filter((line) -> line.startsWith(StartUpApplication.STARTED))
			.mapToLong((line) -> Long.parseLong(line.substring(StartUpApplication.STARTED.length())))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("The application did not say when it had started: " + lines));
	}

	/**
	 * Applications that are compared.
	 */
	private enum Contender {

		PLAIN("Spring Data Redis alone", false),

		CONNECTED("the same, with a first command", false),

		UNUSED("with GE Redis, nothing annotated", true),

		GUARDED("with GE Redis, all five annotations", true);

		private final String label;

		private final boolean guarded;

		Contender(String label, boolean guarded) {
			this.label = label;
			this.guarded = guarded;
		}

	}

}
