// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.ge.redis.benchmark.report.Chart;
import io.ge.redis.benchmark.report.Table;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Measures our own share of each call, one JVM after the other: nothing here is compared
 * with anything that runs beside it.
 */
final class OwnShare {

	private static final double BUDGET_NANOS = 3_000;

	private static final double BUDGET_BYTES = 1_024;

	/** Calls per second on one core. */
	private static final Map<String, Integer> TARGETS = Map.of("ratelimit-denied-again", 1_000_000,
			"ratelimit-denied-again-fallback", 1_000_000, "ratelimit-denied-again-limiter", 5_000_000,
			"ratelimit-denied-again-limiter-many", 5_000_000);

	private final Size size;

	OwnShare(Size size) {
		this.size = size;
	}

	Table run(List<String> patterns) throws Exception {
		List<String> calls = new ArrayList<>(List.of("unguarded"));
		for (String call : OwnShareBenchmark.class.getField("call")
			.getAnnotation(org.openjdk.jmh.annotations.Param.class)
			.value()) {
			if (patterns.contains(call.replaceAll("-.*", ""))) {
				calls.add(call);
			}
		}
		Collection<RunResult> results = new Runner(
				new OptionsBuilder().include(OwnShareBenchmark.class.getName() + "\\.call$")
					.param("call", calls.toArray(String[]::new))
					.forks(this.size.forks())
					.warmupIterations(this.size.iterations())
					.warmupTime(TimeValue.seconds(1))
					.measurementIterations(this.size.iterations())
					.measurementTime(TimeValue.seconds(1))
					.addProfiler(GCProfiler.class)
					.shouldFailOnError(true)
					.build())
			.run();
		List<List<String>> rows = new ArrayList<>();
		List<Map<String, Object>> data = new ArrayList<>();
		List<Chart.Bar> bars = new ArrayList<>();
		for (RunResult result : results) {
			String call = result.getParams().getParam("call");
			List<Double> nanos = new ArrayList<>();
			List<Double> passed = new ArrayList<>();
			result.getBenchmarkResults().forEach((fork) -> fork.getIterationResults().forEach((iteration) -> {
				nanos.add(counter(iteration, "cpuNanos") / counter(iteration, "cpuCalls"));
				passed.add(iteration.getPrimaryResult().getScore());
			}));
			Spread spread = Spread.of(nanos, Double::doubleValue);
			double bytes = Rotation.bytes(result);
			rows.add(List.of(call,
					Comparison.format("%.2f (%.2f-%.2f)", spread.median() / 1000, spread.low() / 1000,
							spread.high() / 1000),
					Comparison.format("%.2f", spread.median() / BUDGET_NANOS), Comparison.format("%,.0f", bytes),
					Comparison.format("%.2f", bytes / BUDGET_BYTES),
					Comparison.format("%.2f", Spread.of(passed, Double::doubleValue).median() / BUDGET_NANOS),
					Comparison.format("%.2f", 1000 / spread.median()), target(call)));
			Map<String, Object> entry = new LinkedHashMap<>();
			entry.put("call", call);
			entry.put("spread", spread);
			entry.put("bytes", bytes);
			entry.put("cpuNanos", nanos);
			entry.put("passedNanos", passed);
			data.add(entry);
			bars.add(new Chart.Bar(call, spread.low() / BUDGET_NANOS, spread.median() / BUDGET_NANOS,
					spread.high() / BUDGET_NANOS, true));
		}
		String title = "Our own share of a call";
		return new Table("own-share", title,
				"Through the annotated method, on a connection that answers at once; 1 caller. The budget is 3 µs and "
						+ "1 KB for a call, whatever number of scripts it runs. Time on a processor is what counts: the time that "
						+ "passes is longer where others use the machine too. Million calls per second are those of one "
						+ "processor that does nothing else.",
				List.of("call", "µs on a processor", "x budget", "B", "x budget", "time passed, x budget",
						"million calls/s", "at least"),
				rows, new Chart(title, "time on a processor, as a multiple of the budget of 3 µs (dashed)", 1,
						List.of(new Chart.Group("1 caller", bars))),
				data);
	}

	private static String target(String call) {
		Integer target = TARGETS.get(call);
		return (target != null) ? String.valueOf(target / 1_000_000) : "-";
	}

	private static double counter(IterationResult iteration, String name) {
		return Objects.requireNonNull(iteration.getSecondaryResults().get(name), name).getScore();
	}

}
