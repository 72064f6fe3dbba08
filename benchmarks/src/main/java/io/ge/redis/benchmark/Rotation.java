// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.util.Statistics;

/**
 * Measures contenders in turns, A B C, B C A, C A B, each turn a short iteration of JMH.
 * <p>
 * JMH by itself measures one benchmark after the other, minutes apart, or in JVMs of
 * their own; on a machine that others use too, the difference between two such figures is
 * mostly the difference between two minutes. Here what is compared ran within seconds, in
 * one JVM, on one server. So a ratio is taken within each round, and the table shows the
 * median of these ratios with their quartiles. The price: contenders share the profile of
 * the JIT, as they would in an application.
 */
final class Rotation {

	private final Size size;

	Rotation(Size size) {
		this.size = size;
	}

	/**
	 * Measures all contenders of a scenario.
	 * @return for each contender its turns, in the order of the rounds
	 */
	Map<Contender, List<Sample>> run(List<Contender> contenders, Keys keys, int threads) {
		Map<Contender, List<Sample>> samples = new LinkedHashMap<>();
		contenders.forEach((contender) -> samples.put(contender, new ArrayList<>()));
		for (int round = -this.size.warmupRounds(); round < this.size.rounds(); round++) {
			for (int i = 0; i < contenders.size(); i++) {
				Contender contender = contenders.get(Math.floorMod(round + i, contenders.size()));
				Sample sample = turn(contender, keys, threads);
				if (round >= 0) {
					Objects.requireNonNull(samples.get(contender)).add(sample);
				}
			}
		}
		return samples;
	}

	private Sample turn(Contender contender, Keys keys, int threads) {
		ContenderBenchmark.next(contender, keys, this.size.keys());
		Options options = new OptionsBuilder().include(ContenderBenchmark.class.getName() + "\\.call$")
			.forks(0)
			.threads(threads)
			.warmupIterations(1)
			.warmupTime(TimeValue.milliseconds(this.size.settleMillis()))
			.measurementIterations(1)
			.measurementTime(TimeValue.milliseconds(this.size.slotMillis()))
			.addProfiler(GCProfiler.class)
			.verbosity(VerboseMode.SILENT)
			.shouldFailOnError(true)
			.build();
		try {
			RunResult result = new Runner(options).runSingle();
			Statistics times = result.getPrimaryResult().getStatistics();
			return new Sample(times.getMean(), times.getPercentile(50), times.getPercentile(99), bytes(result),
					threads);
		}
		catch (RunnerException ex) {
			throw new IllegalStateException("The turn of '" + contender.name() + "' failed", ex);
		}
	}

	/**
	 * Returns what the profiler counted per call.
	 */
	static double bytes(RunResult result) {
		for (String name : result.getSecondaryResults().keySet()) {
			if (name.endsWith("gc.alloc.rate.norm")) {
				return result.getSecondaryResults().get(name).getScore();
			}
		}
		return Double.NaN;
	}

}
