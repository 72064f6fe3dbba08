// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.ge.redis.benchmark.report.Chart;
import io.ge.redis.benchmark.report.Table;
import io.ge.redis.test.RedisNode;

/**
 * One key that nobody has and everybody wants, over and over, as when a hot entry
 * expires: how often it is loaded, and how long it takes until the last caller has its
 * value.
 * <p>
 * A load takes {@value #LOAD_MILLIS} ms of a database that serves either all who ask at
 * once, which is what sleeping in a loader amounts to, or {@value #CONNECTIONS} at a
 * time. The first favours whoever loads once for each caller: it makes them wait for
 * nothing.
 */
final class ContendedMisses {

	static final String ID = "cache-miss-contended";

	private static final int LOAD_MILLIS = 20;

	/** As many as a pool has by default. */
	private static final int CONNECTIONS = 10;

	private static final int UNBOUNDED = 10_000;

	private static final List<String> COLUMNS = List.of("", "instances x callers", "loads at a time",
			"loads per expiry", "until all have it, ms", "x ours", "half of the callers have it, ms", "x ours",
			"commands per expiry");

	private final Size size;

	private final RedisNode node;

	private final List<Instance> instances;

	ContendedMisses(Size size, RedisNode node, List<Instance> instances) {
		this.size = size;
		this.node = node;
		this.instances = instances;
	}

	/**
	 * Many callers, in one instance and in two.
	 */
	Table run() throws Exception {
		List<List<String>> rows = new ArrayList<>();
		List<Map<String, Object>> data = new ArrayList<>();
		List<Chart.Group> groups = new ArrayList<>();
		for (int number = 1; number <= this.instances.size(); number++) {
			for (int callers : this.size.threads()) {
				if (callers > 1) {
					for (int atOnce : List.of(UNBOUNDED, CONNECTIONS)) {
						groups.add(compare(number, callers / number, atOnce, rows, data));
					}
				}
			}
		}
		String title = "Cache, miss under contention";
		return new Table(ID, title,
				"All callers ask at the same moment for one key that is in no cache; a load takes " + LOAD_MILLIS
						+ " ms of a database that serves all at once, or " + CONNECTIONS
						+ " at a time. Two instances are two applications in one JVM. Loads, and time in sum, are what "
						+ "the database is spared. Time until all have their value cannot be less than one load, and "
						+ "where the database serves all at once it is one load for whoever lets every caller load.",
				COLUMNS, rows,
				new Chart(title, "time until all have their value, as a multiple of ours (dashed)", 1, groups), data);
	}

	private Chart.Group compare(int number, int callers, int atOnce, List<List<String>> rows,
			List<Map<String, Object>> data) throws Exception {
		List<Entrant> entrants = entrants();
		List<List<Turn>> turns = new ArrayList<>();
		entrants.forEach((entrant) -> turns.add(new ArrayList<>()));
		for (int round = -this.size.warmupRounds(); round < this.size.rounds(); round++) {
			for (int i = 0; i < entrants.size(); i++) {
				int index = Math.floorMod(round + i, entrants.size());
				Turn turn = turn(entrants.get(index), number, callers, atOnce, this.size.contendedMillis());
				if (round >= 0) {
					turns.get(index).add(turn);
				}
			}
		}
		List<Chart.Bar> bars = new ArrayList<>();
		String setting = number + " x " + callers;
		String loads = (atOnce == UNBOUNDED) ? "all" : String.valueOf(atOnce);
		List<Turn> ours = turns.get(0);
		for (int index = 0; index < entrants.size(); index++) {
			Entrant entrant = entrants.get(index);
			List<Turn> own = turns.get(index);
			Spread all = Spread.ofRatios(own, ours, Turn::allMillis);
			Spread half = Spread.ofRatios(own, ours, Turn::halfMillis);
			double commands = commands(entrant, number, callers, atOnce);
			rows.add(List.of(entrant.name(), setting, loads,
					Comparison.format("%.2f", Spread.of(own, Turn::loads).median()),
					Comparison.format("%.1f", Spread.of(own, Turn::allMillis).median()), Comparison.format(all),
					Comparison.format("%.1f", Spread.of(own, Turn::halfMillis).median()), Comparison.format(half),
					Comparison.format("%.1f", commands)));
			Map<String, Object> entry = new LinkedHashMap<>();
			entry.put("contender", entrant.name());
			entry.put("instances", number);
			entry.put("callers", callers);
			entry.put("loadsAtOnce", loads);
			entry.put("allToOurs", all);
			entry.put("halfToOurs", half);
			entry.put("commands", commands);
			entry.put("rounds", own);
			data.add(entry);
			if (index > 0) {
				bars.add(new Chart.Bar(entrant.name(), all.low(), all.median(), all.high(), false));
			}
		}
		return new Chart.Group(number + ((number == 1) ? " instance x " : " instances x ") + callers
				+ " callers, database serves " + ((atOnce == UNBOUNDED) ? "all at once" : atOnce + " at a time"), bars);
	}

	private static List<Entrant> entrants() {
		return List.of(new Entrant("@CacheAside", (instance, key, loader) -> instance.guarded().read(key, loader)),
				new Entrant("@Cacheable, Spring Data Redis",
						(instance, key, loader) -> peer(instance).read(key, loader)),
				new Entrant("@Cacheable(sync), Spring Data Redis",
						(instance, key, loader) -> peer(instance).readInSync(key, loader)),
				new Entrant("@Cacheable(sync), Spring Data Redis, locking",
						(instance, key, loader) -> peer(instance).readLocked(key, loader)));
	}

	private static CachedByPeer peer(Instance instance) {
		return instance.get(CachedByPeer.class);
	}

	/**
	 * Counts in a turn of its own, since watching the server slows it down.
	 */
	private double commands(Entrant entrant, int number, int callers, int atOnce) throws Exception {
		List<Turn> turn = new ArrayList<>();
		List<Monitor.Command> commands = new Monitor(this.node)
			.during(() -> turn.add(turn(entrant, number, callers, atOnce, this.size.contendedMillis() / 2)));
		long sent = commands.stream()
			.filter((command) -> !command.inside() && !CommandCount.isNoise(command) && !command.name().equals("PING"))
			.count();
		return sent / (double) turn.get(0).expiries();
	}

	private Turn turn(Entrant entrant, int number, int callers, int atOnce, long millis) throws Exception {
		Course course = new Course(number * callers, atOnce, TimeUnit.MILLISECONDS.toNanos(millis));
		ExecutorService threads = Executors.newFixedThreadPool(number * callers);
		try {
			List<Future<?>> done = new ArrayList<>();
			for (int thread = 0; thread < number * callers; thread++) {
				int caller = thread;
				Instance instance = this.instances.get(thread % number);
				done.add(threads.submit(() -> {
					while (course.begin()) {
						entrant.way().call(instance, course.key, course::load);
						course.served(caller);
					}
					return null;
				}));
			}
			for (Future<?> thread : done) {
				thread.get(2, TimeUnit.MINUTES);
			}
		}
		finally {
			threads.shutdownNow();
		}
		return course.turn();
	}

	/**
	 * One expiry after the other. Between two of them all callers meet at a barrier,
	 * which guards the plain fields.
	 */
	private static final class Course {

		private final CyclicBarrier barrier;

		private final Semaphore connections;

		private final AtomicLong loads = new AtomicLong();

		private final long nanos;

		private final long begun = System.nanoTime();

		private final long[] served;

		private final List<Double> all = new ArrayList<>();

		private final List<Double> half = new ArrayList<>();

		private long started;

		private boolean over;

		private volatile String key = "";

		Course(int callers, int atOnce, long nanos) {
			this.barrier = new CyclicBarrier(callers, this::next);
			this.connections = new Semaphore(atOnce, true);
			this.served = new long[callers];
			this.nanos = nanos;
		}

		private void next() {
			if (this.started != 0) {
				Arrays.sort(this.served);
				this.half.add((this.served[this.served.length / 2] - this.started) / 1e6);
				this.all.add((this.served[this.served.length - 1] - this.started) / 1e6);
			}
			this.over = !this.all.isEmpty() && System.nanoTime() - this.begun >= this.nanos;
			this.key = Keys.FRESH.next(0, 1, 1);
			this.started = System.nanoTime();
		}

		boolean begin() throws Exception {
			this.barrier.await();
			return !this.over;
		}

		Balance load() {
			this.loads.incrementAndGet();
			this.connections.acquireUninterruptibly();
			try {
				TimeUnit.MILLISECONDS.sleep(LOAD_MILLIS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			finally {
				this.connections.release();
			}
			return Balance.of(this.key);
		}

		void served(int caller) {
			this.served[caller] = System.nanoTime();
		}

		Turn turn() {
			int expiries = this.all.size();
			return new Turn(expiries, this.loads.get() / (double) expiries,
					Spread.of(this.all, Double::doubleValue).median(),
					Spread.of(this.half, Double::doubleValue).median());
		}

	}

	/**
	 * One way to read a key.
	 */
	@FunctionalInterface
	private interface Way {

		void call(Instance instance, String key, Supplier<Balance> loader);

	}

	private record Entrant(String name, Way way) {
	}

	/**
	 * What one turn gave.
	 *
	 * @param expiries how often the key was in no cache
	 * @param loads for each of them
	 * @param allMillis until the last caller has its value, the median
	 * @param halfMillis until half of the callers have theirs, the median
	 */
	private record Turn(int expiries, double loads, double allMillis, double halfMillis) {
	}

}
