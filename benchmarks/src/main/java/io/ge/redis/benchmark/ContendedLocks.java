// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToDoubleFunction;

import io.ge.redis.benchmark.report.Chart;
import io.ge.redis.benchmark.report.Table;
import io.ge.redis.test.RedisNode;

/**
 * One lock that everybody wants. JMH counts calls; here it matters who gets the lock next
 * and how long it is nobody's, so threads of our own call, in the same rotation.
 * <p>
 * A hand-over lasts from the moment at which the holder begins to release the lock until
 * the next one is inside, on the clock of this JVM.
 */
final class ContendedLocks {

	private static final String KEY = Keys.text(1);

	private static final List<String> COLUMNS = List.of("", "instances x callers", "section", "sections/s",
			"x Redisson RLock", "hand-over p50 µs", "in PINGs", "p50, x RLock", "hand-over p99 µs", "p99, x RLock",
			"fairness, min/max", "violations", "commands/section", "messages/section", "commands to wait");

	private static final String COUNTS = "The ReentrantLock of the JVM, which knows no other instance, bounds what can be "
			+ "reached. Messages are those delivered, each to an instance that wakes for it; commands to wait are those "
			+ "of an instance that finds the lock taken, within 300 ms.";

	private static final List<Integer> INSTANCES = List.of(2, 8, 32);

	private static final Duration WAIT = Duration.ofMillis(300);

	/** What no lock of whatever kind can surpass, where callers are in one JVM. */
	private static final String JVM = "ReentrantLock of the JVM";

	private static final Lock BOUND = new ReentrantLock();

	private final Size size;

	private final RedisNode node;

	private final List<Instance> instances;

	ContendedLocks(Size size, RedisNode node, List<Instance> instances) {
		this.size = size;
		this.node = node;
		this.instances = instances;
	}

	/**
	 * Sixteen callers, in one instance and in two.
	 */
	Table run() throws Exception {
		return run("lock-contended", "Lock, contended",
				"16 callers want one lock. Two instances are two applications in one JVM, each with connections of its "
						+ "own. A section of 1 ms parks the thread. Fairness compares the callers of one turn. A "
						+ "violation is a second thread inside. " + COUNTS,
				16, List.of(1, 2));
	}

	/**
	 * One caller in each instance, so that the lock goes from instance to instance.
	 */
	Table handOver() throws Exception {
		return run("lock-hand-over", "Lock, from instance to instance",
				"One caller in each of several instances wants one lock; only hand-overs from one instance to another "
						+ "count. The instances are applications in one JVM, each with connections of its own. "
						+ COUNTS,
				0, INSTANCES.stream().filter((number) -> number <= this.instances.size()).toList());
	}

	private Table run(String name, String title, String text, int callers, List<Integer> settings) throws Exception {
		List<List<String>> rows = new ArrayList<>();
		List<Map<String, Object>> data = new ArrayList<>();
		List<Chart.Group> groups = new ArrayList<>();
		Map<String, Long> waits = new HashMap<>();
		for (Entrant entrant : entrants()) {
			waits.put(entrant.name(), commandsToWait(entrant));
		}
		for (int instances : settings) {
			for (long sectionNanos : List.of(0L, 1_000_000L)) {
				groups.add(compare(instances, Math.max(1, callers / instances), sectionNanos, waits, rows, data));
			}
		}
		return new Table(name, title, text, COLUMNS, rows,
				new Chart(title, "sections per second, as a multiple of Redisson's RLock (dashed)", 1, groups), data);
	}

	private Chart.Group compare(int instances, int callers, long sectionNanos, Map<String, Long> waits,
			List<List<String>> rows, List<Map<String, Object>> data) throws Exception {
		List<Entrant> entrants = entrants();
		List<List<Turn>> turns = new ArrayList<>();
		List<Double> pings = new ArrayList<>();
		entrants.forEach((entrant) -> turns.add(new ArrayList<>()));
		for (int round = -this.size.warmupRounds(); round < this.size.rounds(); round++) {
			double ping = ping();
			for (int i = 0; i < entrants.size(); i++) {
				int index = Math.floorMod(round + i, entrants.size());
				Turn turn = turn(entrants.get(index), instances, callers, sectionNanos);
				if (round >= 0) {
					turns.get(index).add(turn);
				}
			}
			if (round >= 0) {
				pings.add(ping);
			}
		}
		List<Chart.Bar> bars = new ArrayList<>();
		List<Turn> reference = turns.get(1);
		String setting = instances + " x " + callers;
		String section = (sectionNanos == 0) ? "0" : "1 ms";
		for (int index = 0; index < entrants.size(); index++) {
			Entrant entrant = entrants.get(index);
			List<Turn> own = turns.get(index);
			Sent sent = count(entrant, instances, callers, sectionNanos);
			Spread ratio = Spread.ofRatios(own, reference, Turn::sectionsPerSecond);
			Spread p50 = Spread.ofRatios(own, reference, Turn::handOverP50);
			Spread p99 = Spread.ofRatios(own, reference, Turn::handOverP99);
			Spread handOver = Spread.of(own, Turn::handOverP50);
			double[] inPings = new double[own.size()];
			for (int round = 0; round < inPings.length; round++) {
				inPings[round] = own.get(round).handOverP50() * 1000 / pings.get(round);
			}
			rows.add(List.of(entrant.name(), setting, section,
					Comparison.format("%,.0f", Spread.of(own, Turn::sectionsPerSecond).median()),
					Comparison.format("%.2f (%.2f-%.2f)", ratio.median(), ratio.low(), ratio.high()),
					Comparison.format("%,.0f", handOver.median()),
					Comparison.format("%.2f", Spread.of(inPings).median()),
					Comparison.format("%.2f (%.2f-%.2f)", p50.median(), p50.low(), p50.high()),
					Comparison.format("%,.0f", Spread.of(own, Turn::handOverP99).median()),
					Comparison.format("%.2f (%.2f-%.2f)", p99.median(), p99.low(), p99.high()),
					Comparison.format("%.2f", Spread.of(own, Turn::fairness).median()),
					String.valueOf(own.stream().mapToInt(Turn::violations).sum()),
					Comparison.format("%.2f", sent.commands()), Comparison.format("%.2f", sent.messages()),
					String.valueOf(waits.get(entrant.name()))));
			Map<String, Object> entry = new LinkedHashMap<>();
			entry.put("contender", entrant.name());
			entry.put("instances", instances);
			entry.put("callers", callers);
			entry.put("sectionNanos", sectionNanos);
			entry.put("ratioToRLock", ratio);
			entry.put("handOverP50ToRLock", p50);
			entry.put("handOverP99ToRLock", p99);
			entry.put("sent", sent);
			entry.put("commandsToWait", waits.get(entrant.name()));
			entry.put("pingNanos", pings);
			entry.put("rounds", own);
			data.add(entry);
			// The bound is in the table: beside its bar all others would have no length.
			if (index != 1 && !entrant.name().equals(JVM)) {
				bars.add(new Chart.Bar(entrant.name(), ratio.low(), ratio.median(), ratio.high(),
						entrant.name().startsWith("@")));
			}
		}
		return new Chart.Group(instances + ((instances == 1) ? " instance x " : " instances x ") + callers
				+ " callers, section of " + section, bars);
	}

	private List<Entrant> entrants() {
		return List.of(new Entrant("@DistributedLock", this::annotated),
				new Entrant("Redisson RLock",
						(instance, inside) -> hold(instance.redisson().getLock("c:" + KEY), inside)),
				new Entrant("RedisLockRegistry, pub/sub",
						(instance, inside) -> hold(instance.pushLocks().obtain("c:" + KEY), inside)),
				new Entrant("RedisLockRegistry, spin",
						(instance, inside) -> hold(instance.spinLocks().obtain("c:" + KEY), inside)),
				new Entrant(JVM, (instance, inside) -> hold(BOUND, inside)));
	}

	private double ping() throws Exception {
		RawRedis raw = this.instances.get(0).raw();
		double[] nanos = new double[500];
		for (int i = 0; i < nanos.length; i++) {
			long started = System.nanoTime();
			raw.ping();
			nanos[i] = System.nanoTime() - started;
		}
		return Spread.of(nanos).median();
	}

	private void annotated(Instance instance, Guarded.Section inside) throws Exception {
		instance.guarded().locked(KEY, inside);
	}

	private static void hold(Lock lock, Guarded.Section inside) throws Exception {
		lock.lock();
		try {
			inside.run();
		}
		finally {
			lock.unlock();
		}
	}

	private Turn turn(Entrant entrant, int instances, int callers, long sectionNanos) throws Exception {
		Course course = new Course(instances * callers, callers == 1, sectionNanos,
				TimeUnit.MILLISECONDS.toNanos(this.size.settleMillis()),
				TimeUnit.MILLISECONDS.toNanos(this.size.contendedMillis()));
		run(course, entrant, instances, callers);
		return course.turn();
	}

	/**
	 * Counts in a turn of its own, since watching the server slows it down.
	 */
	private Sent count(Entrant entrant, int instances, int callers, long sectionNanos) throws Exception {
		Course course = new Course(instances * callers, false, sectionNanos, 0,
				TimeUnit.MILLISECONDS.toNanos(this.size.contendedMillis()) / 2);
		Map<String, Long> subscribers = new HashMap<>();
		List<Monitor.Command> commands = new Monitor(this.node).during(() -> {
			CompletableFuture<Void> looking = CompletableFuture.runAsync(() -> look(subscribers),
					CompletableFuture.delayedExecutor(this.size.contendedMillis() / 4, TimeUnit.MILLISECONDS));
			run(course, entrant, instances, callers);
			looking.join();
		});
		long sent = 0;
		long delivered = 0;
		for (Monitor.Command command : commands) {
			if (command.inside()) {
				delivered += command.name().endsWith("PUBLISH") ? subscribers.getOrDefault(command.parts().get(1), 1L)
						: 0;
			}
			else if (isOfACall(command)) {
				sent++;
			}
		}
		return new Sent(sent / (double) course.sections(), delivered / (double) course.sections());
	}

	/**
	 * How many hear what is published to a channel.
	 */
	private void look(Map<String, Long> subscribers) {
		for (String shard : List.of("", "SHARD")) {
			for (Object channel : list("PUBSUB", shard + "CHANNELS")) {
				List<?> number = list("PUBSUB", shard + "NUMSUB", String.valueOf(channel));
				subscribers.put(String.valueOf(channel), (Long) number.get(1));
			}
		}
	}

	private List<?> list(String... command) {
		return (List<?>) Objects.requireNonNull(this.node.command(command));
	}

	private long commandsToWait(Entrant entrant) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(2);
		try {
			CountDownLatch inside = new CountDownLatch(1);
			CountDownLatch over = new CountDownLatch(1);
			Instance last = this.instances.get(this.instances.size() - 1);
			// What a connection or a script needs once is no part of it
			entrant.way().call(last, () -> {
			});
			Future<?> holding = executor.submit(() -> {
				entrant.way().call(this.instances.get(0), () -> {
					inside.countDown();
					over.await();
				});
				return null;
			});
			inside.await();
			List<Future<?>> waiting = new ArrayList<>();
			List<Monitor.Command> commands = new Monitor(this.node).during(() -> {
				waiting.add(executor.submit(() -> {
					entrant.way().call(last, () -> {
					});
					return null;
				}));
				Thread.sleep(WAIT.toMillis());
			});
			over.countDown();
			holding.get();
			waiting.get(0).get();
			return commands.stream().filter(ContendedLocks::isOfACall).count();
		}
		finally {
			executor.shutdownNow();
		}
	}

	/**
	 * Drivers of many instances ask every now and then whether the server is there.
	 */
	private static boolean isOfACall(Monitor.Command command) {
		return !command.inside() && !CommandCount.isNoise(command)
				&& !List.of("PING", "PUBSUB").contains(command.name());
	}

	private void run(Course course, Entrant entrant, int instances, int callers) throws Exception {
		int threads = instances * callers;
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			List<Future<?>> done = new ArrayList<>();
			for (int thread = 0; thread < threads; thread++) {
				int caller = thread;
				Instance instance = this.instances.get(thread % instances);
				done.add(executor.submit(() -> {
					course.start.await();
					while (!course.isOver()) {
						entrant.way().call(instance, () -> course.inside(caller));
					}
					return null;
				}));
			}
			for (Future<?> thread : done) {
				thread.get(2, TimeUnit.MINUTES);
			}
		}
		finally {
			executor.shutdownNow();
		}
	}

	/**
	 * What happens inside the lock. Its plain fields are guarded by the lock that is
	 * measured; should it not exclude, the violations tell.
	 */
	private static final class Course {

		private static final int SAMPLES = 1 << 20;

		private final long sectionNanos;

		/** Whether only hand-overs from one caller to another count. */
		private final boolean toOthers;

		private final long settled;

		private final long end;

		private final CyclicBarrier start;

		private final AtomicInteger inside = new AtomicInteger();

		private final AtomicInteger violations = new AtomicInteger();

		private final long[] counts;

		private final double[] handOvers = new double[SAMPLES];

		private int handOverCount;

		private long sections;

		private volatile long left;

		private volatile int last = -1;

		Course(int threads, boolean toOthers, long sectionNanos, long settleNanos, long measuredNanos) {
			this.start = new CyclicBarrier(threads);
			this.counts = new long[threads];
			this.toOthers = toOthers;
			this.sectionNanos = sectionNanos;
			this.settled = System.nanoTime() + settleNanos;
			this.end = this.settled + measuredNanos;
		}

		boolean isOver() {
			return System.nanoTime() - this.end >= 0;
		}

		void inside(int caller) {
			if (this.inside.incrementAndGet() != 1) {
				this.violations.incrementAndGet();
			}
			long entered = System.nanoTime();
			boolean counts = entered - this.settled >= 0 && entered - this.end < 0;
			if (counts && this.last >= 0 && this.handOverCount < SAMPLES && !(this.toOthers && this.last == caller)) {
				this.handOvers[this.handOverCount++] = (entered - this.left) / 1000.0;
			}
			if (this.sectionNanos > 0) {
				LockSupport.parkNanos(this.sectionNanos);
			}
			this.sections++;
			this.counts[caller] += counts ? 1 : 0;
			this.last = caller;
			this.inside.decrementAndGet();
			this.left = System.nanoTime();
		}

		long sections() {
			return this.sections;
		}

		Turn turn() {
			double[] times = Arrays.copyOf(this.handOvers, this.handOverCount);
			Arrays.sort(times);
			long sections = Arrays.stream(this.counts).sum();
			long least = Arrays.stream(this.counts).min().orElse(0);
			long most = Arrays.stream(this.counts).max().orElse(0);
			return new Turn(sections * 1e9 / (this.end - this.settled), at(times, 0.5), at(times, 0.99),
					(most > 0) ? least / (double) most : 0, this.violations.get());
		}

		private static double at(double[] sorted, double share) {
			return (sorted.length == 0) ? 0 : sorted[(int) (share * (sorted.length - 1))];
		}

	}

	/**
	 * One way to run a section under the lock.
	 */
	@FunctionalInterface
	private interface Way {

		void call(Instance instance, Guarded.Section inside) throws Exception;

	}

	private record Entrant(String name, Way way) {
	}

	/**
	 * What one turn gave.
	 *
	 * @param sectionsPerSecond sections
	 * @param handOverP50 microseconds
	 * @param handOverP99 microseconds
	 * @param fairness sections of the caller that got fewest, by those of the one that
	 * got most
	 * @param violations how often a second thread was inside
	 */
	private record Turn(double sectionsPerSecond, double handOverP50, double handOverP99, double fairness,
			int violations) {
	}

	/**
	 * What a section costs the server.
	 *
	 * @param commands sent by clients
	 * @param messages delivered to clients
	 */
	private record Sent(double commands, double messages) {
	}

}
