// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Failpoint;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.InstanceGoneException;

/**
 * Random operations of several instances on the same few rows, while entries expire,
 * instances are killed and replaced, stand still, and the network is cut. An application
 * offers what {@link CacheScenario} asks for, and {@code churn}, which is {@link Churn}.
 * <p>
 * Judged, after each fault, is what the cache answers through each instance when nothing
 * is under way any more: it must be what stands in the database. Operations that fail are
 * counted and no violation.
 */
public final class CacheChurnScenario {

	/**
	 * So few that several want the same one, and so many that what comes late is not put
	 * right by the next writer at once.
	 */
	private static final int ROWS = 96;

	private static final int THREADS = 8;

	private static final int OPERATIONS_AT_ONCE = 40;

	private static final Duration CUT = Duration.ofMillis(200);

	private static final Duration STALL = Duration.ofSeconds(2);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final FaultRun run;

	private final List<Fleet> slots;

	private final CachedRows rows;

	private final AtomicLong seeds;

	private final AtomicLong done = new AtomicLong();

	private final AtomicLong failed = new AtomicLong();

	private volatile long target;

	private CacheChurnScenario(FaultRun run, List<Fleet> slots, Duration rest) {
		this.run = run;
		this.slots = slots;
		this.rows = new CachedRows(run, ROWS, rest);
		this.seeds = new AtomicLong(run.random().nextLong());
	}

	/**
	 * Plays it.
	 * @param run counts and judges
	 * @param slots each starts one instance, another one when that is gone
	 * @param operations how many operations in sum
	 * @param faults how many faults, evenly among the operations
	 * @param expiry removes some of what can be read from the cache
	 * @param cut cuts the network
	 * @param rest how long it may take until the cache is right again
	 * @throws Exception if the scenario cannot be played
	 */
	public static void play(FaultRun run, List<Fleet> slots, long operations, int faults, Fault expiry, Fault cut,
			Duration rest) throws Exception {
		while (run.next()) {
			CacheChurnScenario scenario = new CacheChurnScenario(run, slots, rest);
			for (int fault = 0; fault < faults; fault++) {
				scenario.turn(operations / faults, fault, expiry, cut);
			}
			run.note("operations that failed", scenario.failed.get());
		}
	}

	private void turn(long share, int fault, Fault expiry, Fault cut) throws Exception {
		List<Instance> instances = instances();
		this.target = this.done.get() + share;
		long disturbed = this.done.get() + share / 2;
		Load.together(this.slots.size() + 1, (number) -> {
			if (number < this.slots.size()) {
				work((int) number);
				return;
			}
			awaitDone(disturbed, PATIENCE);
			disturb(instances, fault, expiry, cut);
			awaitDone(this.target - share / 4, PATIENCE);
			stall(instances.get((fault + 1) % instances.size()));
		});
		this.run.note("keys that differ at rest", this.rows.judge(instances()));
	}

	private void awaitDone(long operations, Duration most) throws InterruptedException {
		long deadline = System.nanoTime() + most.toNanos();
		while (this.done.get() < operations && System.nanoTime() - deadline < 0) {
			TimeUnit.MILLISECONDS.sleep(2);
		}
	}

	/**
	 * Lets the others come to their end while an instance stands still between its
	 * commits and what follows them, and between its loads and what follows those, so
	 * that all of that comes late.
	 */
	private void stall(Instance instance) throws InterruptedException {
		Failpoint[] places = { CacheScenario.AFTER_COMMIT.hold(), Failpoint.exit(Items.class, "load").hold() };
		instance.arm(places);
		awaitDone(this.target, STALL);
		for (Failpoint place : places) {
			instance.release(place);
		}
		this.run.injected();
	}

	private List<Instance> instances() throws InterruptedException {
		List<Instance> instances = new ArrayList<>();
		for (Fleet slot : this.slots) {
			Instance instance = slot.start().get(0);
			CachedRows.warmUp(instance);
			instances.add(instance);
		}
		return instances;
	}

	private void work(int slot) {
		while (this.done.get() < this.target) {
			try {
				String[] counts = this.slots.get(slot)
					.start()
					.get(0)
					.get("churn", this.rows.prefix(), String.valueOf(ROWS), String.valueOf(THREADS),
							String.valueOf(OPERATIONS_AT_ONCE), String.valueOf(this.seeds.incrementAndGet()))
					.split(" ");
				this.done.addAndGet(Long.parseLong(counts[0]));
				this.run.operations(Long.parseLong(counts[0]));
				this.failed.addAndGet(Long.parseLong(counts[1]));
			}
			catch (InstanceGoneException ex) {
				// The next one goes on
			}
		}
	}

	/**
	 * Every third fault kills an instance, every third cuts the network, every third lets
	 * entries expire.
	 */
	private void disturb(List<Instance> instances, int fault, Fault expiry, Fault cut) throws InterruptedException {
		switch (fault % 3) {
			case 0 -> {
				this.run.inject(expiry);
				this.run.heal(expiry);
			}
			case 1 -> {
				instances.get(fault % instances.size()).kill();
				this.run.injected();
			}
			default -> {
				this.run.inject(cut);
				TimeUnit.MILLISECONDS.sleep(CUT.toMillis());
				this.run.heal(cut);
			}
		}
	}

}
