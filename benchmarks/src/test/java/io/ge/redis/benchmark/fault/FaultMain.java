// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.ge.redis.benchmark.Machine;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;

/**
 * Plays the scenarios and writes the tables. Arguments: the directory of the results, and
 * pieces of the names of patterns, faults or subjects, of which one has to fit what is
 * played; {@code report} alone writes the tables anew from what was found.
 */
final class FaultMain {

	private FaultMain() {
	}

	public static void main(String[] arguments) throws Exception {
		FaultReport report = FaultReport.in(Path.of(arguments[0]));
		Set<String> parts = Set.copyOf(List.of(arguments).subList(1, arguments.length));
		boolean failed = false;
		if (!parts.contains("report")) {
			try (StandaloneRedis redis = RedisServers.standalone()) {
				report.facts(Machine.facts(redis.primary()), parts);
			}
			try (CacheFaults caches = new CacheFaults()) {
				List<Play> plays = new ArrayList<>(LockFaults.plays());
				plays.addAll(RateLimitFaults.plays());
				plays.addAll(caches.plays());
				plays.addAll(StreamFaults.plays());
				for (Play play : plays) {
					if (parts.isEmpty() || parts.stream().anyMatch(play.run().toString()::contains)) {
						failed |= played(play, report);
					}
				}
			}
		}
		report.write();
		// Threads of servers and clients may still be there
		System.exit(failed ? 1 : 0);
	}

	private static boolean played(Play play, FaultReport report) {
		Outcome outcome = play.play();
		report.add(outcome);
		report.write();
		outcome.examples().forEach((example) -> System.out.println("  " + example));
		if (outcome.isFailure()) {
			System.out.println("  This fails the run.");
		}
		return outcome.isFailure();
	}

}
