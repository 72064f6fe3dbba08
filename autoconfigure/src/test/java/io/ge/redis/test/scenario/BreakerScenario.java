// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Instance;
import org.jspecify.annotations.Nullable;

/**
 * A supplier of several {@link BreakerApplication} that fails, for all of them or for
 * one. Judged is by what callers got.
 */
public final class BreakerScenario {

	/** Calls a second of all instances. */
	private static final int RATE = 200;

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private BreakerScenario() {
	}

	/**
	 * The supplier fails for all and recovers, during a fault and after it.
	 * @param most failed calls until all are refused, without a fault
	 * @throws Exception if the scenario cannot be played
	 */
	public static void outage(FaultRun run, Site site, Fleet fleet, @Nullable Fault fault, int most) throws Exception {
		while (run.next()) {
			List<Instance> instances = begin(site, fleet);
			if (fault != null) {
				run.inject(fault);
			}
			long failed = sum(instances, 2);
			failAndRecover(run, instances);
			failed = sum(instances, 2) - failed;
			run.note("failed calls", failed);
			if (fault == null) {
				run.require(failed <= most, failed + " calls failed");
			}
			else {
				run.heal(fault);
				failAndRecover(run, instances);
			}
			for (Instance instance : instances) {
				run.require(look(instance, 5) < 1000, "A call took " + look(instance, 5) + " ms");
			}
			run.operations(sum(instances, 1));
		}
	}

	private static void failAndRecover(FaultRun run, List<Instance> instances) throws Exception {
		become(instances, "bad");
		run.require(await(() -> all(instances, (state) -> !state.equals("CLOSED"))), "Calls are not refused");
		become(instances, "good");
		run.require(await(() -> all(instances, "CLOSED"::equals)), "Calls are refused after the recovery");
	}

	/**
	 * The supplier fails for one instance only.
	 * @throws Exception if the scenario cannot be played
	 */
	public static void sick(FaultRun run, Site site, Fleet fleet) throws Exception {
		while (run.next()) {
			List<Instance> instances = begin(site, fleet);
			Instance sick = instances.get(0);
			List<Instance> others = instances.subList(1, instances.size());
			become(List.of(sick), "bad");
			run.require(await(() -> look(sick, 3) > 0), "The sick instance is not refused");
			long calls = sum(others, 1);
			await(() -> sum(others, 1) > calls + RATE);
			run.require(sum(others, 3) == 0, "The calls of other instances are refused");
			become(instances, "good");
			run.operations(sum(instances, 1));
			run.injected();
		}
	}

	/**
	 * Two instances are killed with the probes of a supplier that hangs. It recovers for
	 * the one that is left.
	 * @param probes the configured number
	 * @throws Exception if the scenario cannot be played
	 */
	public static void probesDie(FaultRun run, Site site, Fleet fleet, int probes) throws Exception {
		while (run.next()) {
			List<Instance> instances = begin(site, fleet);
			become(instances, "bad");
			run.require(await(() -> all(instances, (state) -> state.endsWith("OPEN"))), "Calls are not refused");
			become(instances, "hang");
			run.require(await(() -> sum(instances, 4) >= probes), "No probes");
			long calls = sum(instances, 1);
			await(() -> sum(instances, 1) > calls + RATE / 2);
			run.require(sum(instances, 4) <= probes, sum(instances, 4) + " probes at once");
			List<Instance> dying = instances.stream().filter((each) -> look(each, 4) > 0).toList();
			run.operations(sum(instances, 1));
			dying.forEach(Instance::kill);
			run.injected();
			List<Instance> left = instances.stream().filter((each) -> !dying.contains(each)).toList();
			become(left, "good");
			run.require(!left.isEmpty() && await(() -> all(left, "CLOSED"::equals)),
					"The circuit does not close without the instances that died");
		}
	}

	private static List<Instance> begin(Site site, Fleet fleet) throws Exception {
		site.endInstances();
		site.reset();
		List<Instance> instances = fleet.start();
		become(instances, "good");
		String rate = String.valueOf(RATE / instances.size());
		instances.forEach((instance) -> instance.get("load", rate));
		await(() -> instances.stream().allMatch((instance) -> look(instance, 1) > 2 * RATE / instances.size()));
		// The first calls are slow, whatever they do
		instances.forEach((instance) -> instance.get("load", rate));
		return instances;
	}

	private static void become(List<Instance> instances, String state) {
		instances.stream().map((instance) -> instance.call("become", state)).toList().forEach((each) -> each.join());
	}

	private static boolean all(List<Instance> instances, Predicate<String> state) {
		return instances.stream().allMatch((instance) -> state.test(instance.get("look").split(",")[0]));
	}

	private static long sum(List<Instance> instances, int figure) {
		return instances.stream().mapToLong((instance) -> look(instance, figure)).sum();
	}

	private static long look(Instance instance, int figure) {
		return Long.parseLong(instance.get("look").split(",")[figure]);
	}

	private static boolean await(BooleanSupplier condition) throws InterruptedException {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - deadline > 0) {
				return false;
			}
			TimeUnit.MILLISECONDS.sleep(5);
		}
		return true;
	}

}
