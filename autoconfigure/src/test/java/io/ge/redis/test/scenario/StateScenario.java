// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Instance;
import org.jspecify.annotations.Nullable;

/**
 * A workspace that many writers of several {@link StateApplication} change at the same
 * time.
 * <p>
 * Judged is by what writers were told and by what is there in the end: the versions are
 * those from one up to the number of changes, each once; so is each entry of the list
 * that all share.
 */
public final class StateScenario {

	private static final Duration PATIENCE = Duration.ofSeconds(120);

	private StateScenario() {
	}

	/**
	 * Has all write, and lets something go wrong when a quarter is written.
	 * @param run counts and judges
	 * @param reset empties Redis
	 * @param fleet starts the instances
	 * @param fault what goes wrong, or {@code null} if nothing does
	 * @param lasting how long
	 * @param writers how many writers there are on all instances
	 * @param steps how many changes each makes
	 * @throws Exception if the scenario cannot be played
	 */
	public static void written(FaultRun run, Runnable reset, Fleet fleet, @Nullable Fault fault, Duration lasting,
			int writers, int steps) throws Exception {
		while (run.next()) {
			reset.run();
			List<Instance> instances = fleet.start();
			String workspace = "round-" + run.round();
			long started = System.nanoTime();
			List<CompletableFuture<String>> writing = new ArrayList<>();
			for (int i = 0; i < instances.size(); i++) {
				writing.add(instances.get(i)
					.call("write", workspace, String.valueOf(writers * i / instances.size()),
							String.valueOf(writers * (i + 1) / instances.size()), String.valueOf(steps)));
			}
			int total = writers * steps;
			if (fault != null) {
				awaitVersion(instances.get(0), workspace, total / 4);
				run.inject(fault);
				TimeUnit.MILLISECONDS.sleep(lasting.toMillis());
				run.heal(fault);
			}
			List<Long> versions = new ArrayList<>();
			for (CompletableFuture<String> each : writing) {
				Stream.of(each.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS).split(","))
					.map(Long::valueOf)
					.forEach(versions::add);
			}
			run.operations(total);
			run.note("changes per second",
					total * TimeUnit.SECONDS.toNanos(1) / Math.max(1, System.nanoTime() - started));
			judge(run, versions, List.of(instances.get(0).get("look", workspace).split(",")), total);
		}
	}

	private static void judge(FaultRun run, List<Long> versions, List<String> found, int total) {
		run.require(versions.size() == total, versions.size() + " of " + total + " changes were made");
		run.require(new HashSet<>(versions).size() == versions.size(),
				versions.size() - new HashSet<>(versions).size() + " versions were given twice");
		run.require(versions.stream().allMatch((version) -> version >= 1 && version <= total),
				"A version is above the number of changes");
		run.require(found.get(0).equals(String.valueOf(total)),
				"The version is " + found.get(0) + " after " + total + " changes");
		List<String> entries = found.subList(1, found.size());
		run.require(new HashSet<>(entries).size() == entries.size(),
				entries.size() - new HashSet<>(entries).size() + " entries are there twice");
		run.require(entries.size() == total / 2, entries.size() + " entries of " + total / 2 + " are there");
	}

	private static void awaitVersion(Instance instance, String workspace, long version) throws InterruptedException {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (Long.parseLong(instance.get("version", workspace)) < version) {
			if (System.nanoTime() - deadline > 0) {
				throw new IllegalStateException("Version " + version + " is never reached");
			}
			TimeUnit.MILLISECONDS.sleep(1);
		}
	}

}
