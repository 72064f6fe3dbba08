// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Failpoint;
import io.ge.redis.test.instance.Instance;

import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/**
 * Rows that are changed and read through a cache. An application offers
 * <ul>
 * <li>{@code write}, with the id of one of the {@link Items}, which raises its version in
 * a transaction of its own and puts it into the cache;</li>
 * <li>{@code read}, which answers its version from the cache, or loads it;</li>
 * <li>{@code readAsOfBefore}, which does so within a transaction at REPEATABLE READ that
 * has taken its {@link Snapshot};</li>
 * <li>{@code loads}, how often it has loaded any.</li>
 * </ul>
 * Judged is what the cache answers through each instance when nothing is under way any
 * more: it must be what stands in the database. No call may fail.
 */
public final class CacheScenario {

	/**
	 * The place between a commit and whatever follows it, of whichever implementation.
	 */
	public static final Failpoint.Place AFTER_COMMIT = Failpoint.exit(DataSourceTransactionManager.class, "doCommit");

	private static final int CALLERS = 6;

	private static final int ROWS = 24;

	private static final int ROWS_AT_ONCE = 3;

	private static final int REPETITIONS = 12;

	/** In less than this nobody asks so often who counts on messages. */
	private static final Duration SOON = Duration.ofMillis(11_500);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final FaultRun run;

	private final List<Instance> instances;

	private final CachedRows rows;

	private final long seed;

	private CacheScenario(FaultRun run, List<Instance> instances, Duration rest) {
		this.run = run;
		this.instances = instances;
		this.rows = new CachedRows(run, ROWS, rest);
		this.seed = run.random().nextLong();
	}

	/**
	 * Writes and reads before and while something goes wrong, and until it is mended.
	 * @param run counts and judges
	 * @param instances the instances of a round
	 * @param fault what goes wrong
	 * @param lasting how long
	 * @param rest how long it may take until the cache is right again
	 * @throws Exception if the scenario cannot be played
	 */
	public static void underLoad(FaultRun run, Fleet instances, Fault fault, Duration lasting, Duration rest)
			throws Exception {
		while (run.next()) {
			CacheScenario scenario = new CacheScenario(run, instances.start(), rest);
			scenario.warmUp();
			scenario.fill();
			try (Load load = Load.start(CALLERS, scenario::step)) {
				load.awaitSteps(ROWS);
				run.inject(fault);
				TimeUnit.MILLISECONDS.sleep(lasting.toMillis());
				// What is written last is written during the fault
				load.stop();
			}
			run.heal(fault);
			scenario.noteStale();
			scenario.judge();
		}
	}

	/**
	 * Writes and reads while something goes wrong, and on.
	 * @param run counts and judges
	 * @param instances the instances of a round
	 * @param fault what goes wrong
	 * @param rest how long it may take until the cache is right again
	 * @throws Exception if the scenario cannot be played
	 */
	public static void throughout(FaultRun run, Fleet instances, Fault fault, Duration rest) throws Exception {
		while (run.next()) {
			CacheScenario scenario = new CacheScenario(run, instances.start(), rest);
			scenario.warmUp();
			scenario.fill();
			try (Load load = Load.start(CALLERS, scenario::step)) {
				load.awaitSteps(ROWS);
				run.inject(fault);
				run.heal(fault);
				load.awaitSteps(ROWS * 2);
				load.stop();
			}
			scenario.judge();
		}
	}

	/**
	 * Ends an instance after its commit and before what follows it.
	 * @param run counts and judges
	 * @param victims start one instance
	 * @param others the instances that go on
	 * @param rest how long it may take until the cache is right again
	 * @throws Exception if the scenario cannot be played
	 */
	public static void writerKilled(FaultRun run, Fleet victims, Fleet others, Duration rest) throws Exception {
		while (run.next()) {
			CacheScenario scenario = new CacheScenario(run, others.start(), rest);
			Instance victim = victims.start().get(0);
			scenario.warmUp();
			CachedRows.warmUp(victim);
			scenario.fill();
			victim.arm(AFTER_COMMIT.halt());
			victim.call("write", scenario.rows.id(0));
			victim.awaitHalted();
			run.injected();
			scenario.judge();
		}
	}

	/**
	 * Holds writers after their commit and before what follows it, while others write the
	 * same rows, and lets them go on.
	 * @param run counts and judges
	 * @param late start one instance, whose writers are held
	 * @param others the instances that go on
	 * @param meanwhile what goes wrong in between
	 * @param rest how long it may take until the cache is right again
	 * @throws Exception if the scenario cannot be played
	 */
	public static void writerHeld(FaultRun run, Fleet late, Fleet others, Fault meanwhile, Duration rest)
			throws Exception {
		while (run.next()) {
			CacheScenario scenario = new CacheScenario(run, others.start(), rest);
			Instance writer = late.start().get(0);
			scenario.warmUp();
			CachedRows.warmUp(writer);
			List<CompletableFuture<String>> held = new ArrayList<>();
			Failpoint hold = AFTER_COMMIT.hold();
			writer.arm(hold);
			for (int i = 0; i < ROWS_AT_ONCE; i++) {
				held.add(writer.call("write", scenario.rows.id(i)));
				scenario.awaitVersion(i, 1);
			}
			run.inject(meanwhile);
			run.heal(meanwhile);
			for (int i = 0; i < ROWS_AT_ONCE; i++) {
				scenario.write(scenario.instances.get(0), i);
			}
			// Until nothing announces the held ones any more
			for (int i = 0; i < ROWS_AT_ONCE; i++) {
				scenario.awaitHit(i);
			}
			writer.release(hold);
			for (CompletableFuture<String> call : held) {
				join(call);
				run.operations(1);
			}
			scenario.judge();
		}
	}

	/**
	 * Pauses an instance while it loads, until others have loaded in its place and
	 * changed the row, and lets it go on.
	 * @param run counts and judges
	 * @param late start one instance, which is paused
	 * @param others the instances that go on
	 * @param rest how long it may take until the cache is right again
	 * @throws Exception if the scenario cannot be played
	 */
	public static void loaderPaused(FaultRun run, Fleet late, Fleet others, Duration rest) throws Exception {
		while (run.next()) {
			CacheScenario scenario = new CacheScenario(run, others.start(), rest);
			Instance loader = late.start().get(0);
			scenario.warmUp();
			CachedRows.warmUp(loader);
			Failpoint hold = Failpoint.exit(Items.class, "load").hold();
			loader.arm(hold);
			CompletableFuture<String> held = loader.call("read", scenario.rows.id(0));
			loader.awaitReached(hold);
			loader.pause();
			run.injected();
			try {
				scenario.read(scenario.instances.get(0), 0);
				scenario.write(scenario.instances.get(0), 0);
				scenario.read(scenario.instances.get(0), 0);
			}
			finally {
				loader.resume();
			}
			loader.release(hold);
			join(held);
			run.operations(1);
			scenario.judge();
		}
	}

	/**
	 * Reads as of before a change that is committed meanwhile, when the row is no longer
	 * in the cache.
	 * @param run counts and judges
	 * @param late start one instance, which reads
	 * @param others the instances that write
	 * @param expiry removes everything that can be read from the cache
	 * @param rest how long it may take until the cache is right again
	 * @throws Exception if the scenario cannot be played
	 */
	public static void snapshotReader(FaultRun run, Fleet late, Fleet others, Fault expiry, Duration rest)
			throws Exception {
		while (run.next()) {
			CacheScenario scenario = new CacheScenario(run, others.start(), rest);
			Instance reader = late.start().get(0);
			scenario.warmUp();
			CachedRows.warmUp(reader);
			Failpoint hold = Failpoint.exit(Snapshot.class, "take").hold();
			reader.arm(hold);
			CompletableFuture<String> held = reader.call("readAsOfBefore", scenario.rows.id(0));
			reader.awaitReached(hold);
			scenario.write(scenario.instances.get(0), 0);
			run.inject(expiry);
			reader.release(hold);
			join(held);
			run.operations(1);
			scenario.judge();
		}
	}

	/**
	 * Kills an instance that loads rows; all others want them too, and one of them loads
	 * each in its place.
	 * @param run counts and judges
	 * @param victims start one instance
	 * @param others the instances that go on
	 * @param lease how long the killed one keeps the others from loading
	 * @throws Exception if the scenario cannot be played
	 */
	public static void loaderKilled(FaultRun run, Fleet victims, Fleet others, Duration lease) throws Exception {
		while (run.next()) {
			CacheScenario scenario = new CacheScenario(run, others.start(), lease);
			Instance victim = victims.start().get(0);
			scenario.warmUp();
			CachedRows.warmUp(victim);
			Failpoint hold = Failpoint.enter(Items.class, "load").hold();
			victim.arm(hold);
			for (int i = 0; i < ROWS_AT_ONCE; i++) {
				victim.call("read", scenario.rows.id(i));
			}
			victim.awaitReached(hold);
			long before = scenario.loads();
			// So that they wait for it
			CompletableFuture<Void> killed = CompletableFuture.runAsync(() -> {
				victim.kill();
				run.injected();
			}, CompletableFuture.delayedExecutor(lease.toMillis() / 4, TimeUnit.MILLISECONDS,
					(task) -> new Thread(task, "kill").start()));
			Load.together(ROWS_AT_ONCE * CALLERS, (number) -> scenario
				.read(scenario.any(Load.random(scenario.seed, number)), (int) number % ROWS_AT_ONCE));
			killed.join();
			long loads = scenario.loads() - before;
			run.require(loads <= ROWS_AT_ONCE, "Instead of " + ROWS_AT_ONCE + " loads there were " + loads);
			if (run.violations().isEmpty()) {
				scenario.judge();
			}
		}
	}

	/**
	 * Lets readers wait for a loader of another instance, whose message does not come.
	 * @param run counts and judges
	 * @param loaders start one instance
	 * @param others start one instance, which waits
	 * @param fault keeps the message away
	 * @param questions how many scripts Redis was sent so far
	 * @throws Exception if the scenario cannot be played
	 */
	public static void messageLost(FaultRun run, Fleet loaders, Fleet others, Fault fault, LongSupplier questions)
			throws Exception {
		while (run.next()) {
			CacheScenario scenario = new CacheScenario(run, others.start(), Duration.ofSeconds(2));
			Instance loader = loaders.start().get(0);
			scenario.warmUp();
			CachedRows.warmUp(loader);
			Failpoint hold = Failpoint.exit(Items.class, "load").hold();
			loader.arm(hold);
			CompletableFuture<String> held = loader.call("read", scenario.rows.id(0));
			loader.awaitReached(hold);
			run.inject(fault);
			long loads = scenario.loads();
			// The first question of all who wait, and those that they repeat
			long asked = questions.getAsLong() + 1 + REPETITIONS;
			Load.together(CALLERS, (number) -> {
				if (number > 0) {
					scenario.read(scenario.instances.get(0), 0);
					return;
				}
				run.require(awaitAtLeast(questions, asked), "Those who wait do not ask again");
				loader.release(hold);
			});
			join(held);
			run.heal(fault);
			run.require(scenario.loads() == loads, "Those who waited loaded themselves");
			scenario.judge();
		}
	}

	/**
	 * Writes at a steady rate, before something goes wrong and while it does, when it is
	 * known, and reads at rest what is cached of it.
	 * @param run counts and judges; notes how much longer writes take meanwhile
	 * @param writer starts the instance that writes
	 * @param others the instances that only read
	 * @param fault what goes wrong
	 * @param seconds for how long it is written each time
	 * @param rate how many writes a second
	 * @param most by how much the 99th percentile may rise
	 * @param rest how long it may take until the cache is right again
	 * @throws Exception if the scenario cannot be played
	 */
	public static void outage(FaultRun run, Fleet writer, Fleet others, Fault fault, int seconds, int rate,
			Duration most, Duration rest) throws Exception {
		while (run.next()) {
			CacheScenario scenario = new CacheScenario(run, writer.and(others).start(), rest);
			scenario.warmUp();
			scenario.fill();
			scenario.pace(1, rate);
			long usual = scenario.pace(seconds, rate);
			run.inject(fault);
			// Until it is known that nobody answers
			scenario.pace(1, rate);
			long meanwhile = scenario.pace(seconds, rate);
			run.heal(fault);
			run.note("p99 in us before", usual);
			run.note("p99 in us meanwhile", meanwhile);
			run.require(meanwhile - usual <= most.toNanos() / 1000,
					"Writes take " + usual + " us, and " + meanwhile + " us without Redis");
			scenario.judge();
		}
	}

	private long pace(int seconds, int rate) {
		String[] counts = this.instances.get(0)
			.call("pace", this.rows.prefix(), String.valueOf(ROWS), String.valueOf(seconds * rate),
					String.valueOf(rate))
			.orTimeout(PATIENCE.toSeconds() + 2L * seconds, TimeUnit.SECONDS)
			.join()
			.split(" ");
		this.run.operations(seconds * (long) rate);
		this.run.require(counts[0].equals("0"), counts[0] + " writes have failed");
		return Long.parseLong(counts[1]);
	}

	private static boolean awaitAtLeast(LongSupplier figure, long least) throws InterruptedException {
		long deadline = System.nanoTime() + SOON.toNanos();
		while (figure.getAsLong() < least && System.nanoTime() - deadline < 0) {
			TimeUnit.MILLISECONDS.sleep(5);
		}
		return figure.getAsLong() >= least;
	}

	/**
	 * Reads, with a wrong clock, a row whose writer is between its announcement and what
	 * follows its commit.
	 * @param run counts and judges
	 * @param wrong start one instance, with a wrong clock
	 * @param right start one instance, which writes
	 * @param rest how long it may take until the cache is right again
	 * @throws Exception if the scenario cannot be played
	 */
	public static void clocksDisagree(FaultRun run, Fleet wrong, Fleet right, Duration rest) throws Exception {
		while (run.next()) {
			CacheScenario scenario = new CacheScenario(run, wrong.and(right).start(), rest);
			scenario.warmUp();
			run.injected();
			try (Load load = Load.start(CALLERS, scenario::step)) {
				load.awaitSteps(ROWS * 2);
				load.stop();
			}
			Instance reader = scenario.instances.get(0);
			Instance writer = scenario.instances.get(1);
			Failpoint before = Failpoint.enter(DataSourceTransactionManager.class, "doCommit").hold();
			Failpoint after = AFTER_COMMIT.hold();
			writer.arm(before, after);
			CompletableFuture<String> held = writer.call("write", scenario.rows.id(0));
			writer.awaitReached(before);
			scenario.read(reader, 0);
			writer.release(before);
			writer.awaitReached(after);
			String answered = scenario.read(reader, 0);
			run.require(answered.equals(scenario.rows.stored(0)),
					"After the commit of " + scenario.rows.stored(0) + " the cache answers " + answered);
			writer.release(after);
			join(held);
			scenario.judge();
		}
	}

	/**
	 * Waits until every instance reaches Redis.
	 */
	private void warmUp() throws InterruptedException {
		for (Instance instance : this.instances) {
			CachedRows.warmUp(instance);
		}
	}

	private void fill() {
		for (int i = 0; i < ROWS; i++) {
			read(this.instances.get(0), i);
		}
	}

	/**
	 * Half of the rows are written by whichever instance, the others by one each: what
	 * that one knows of its writes, the others do not.
	 */
	private void step(long number) {
		Random random = Load.random(this.seed, number);
		if (number % 3 != 0) {
			read(any(random), random.nextInt(ROWS));
			return;
		}
		int row = (int) (number / 3 % ROWS);
		write((row < ROWS / 2) ? any(random) : this.instances.get(row % this.instances.size()), row);
	}

	private Instance any(Random random) {
		return this.instances.get(random.nextInt(this.instances.size()));
	}

	private String write(Instance instance, int row) {
		return this.rows.call(instance, "write", row);
	}

	private String read(Instance instance, int row) {
		return this.rows.read(instance, row);
	}

	private long loads() {
		return CachedRows.loads(this.instances);
	}

	private void awaitVersion(int row, long version) throws InterruptedException {
		while (Long.parseLong(this.rows.stored(row)) < version) {
			TimeUnit.MILLISECONDS.sleep(2);
		}
	}

	private void awaitHit(int row) throws InterruptedException {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (System.nanoTime() - deadline < 0) {
			long before = loads();
			read(this.instances.get(0), row);
			if (loads() == before) {
				return;
			}
			TimeUnit.MILLISECONDS.sleep(10);
		}
	}

	private static void join(CompletableFuture<String> call) throws Exception {
		call.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
	}

	private void judge() throws Exception {
		this.rows.judge(this.instances);
	}

	private void noteStale() {
		long stale = 0;
		for (int row = 0; row < ROWS; row++) {
			stale += read(this.instances.get(0), row).equals(this.rows.stored(row)) ? 0 : 1;
		}
		this.run.note("old values right after the fault", stale);
	}

}
