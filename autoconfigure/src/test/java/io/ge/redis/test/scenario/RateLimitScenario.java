/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.test.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TcpProxy;
import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.oracle.Entry;
import io.ge.redis.test.oracle.Journal;
import org.awaitility.Awaitility;

/**
 * What a sliding window over three instances suffers. The application has the operations
 * of {@link RateLimitOperations}.
 * <p>
 * In no window are more calls admitted than the limit, as far as Redis keeps its data.
 * What it loses is forgotten: then the promise holds between two losses. An admission is
 * known to lie between the moment it was asked for and the moment it was answered; it
 * counts for a window only if both lie inside.
 */
public final class RateLimitScenario extends Scenario {

	/** How many calls may be admitted in a window. */
	public static final int LIMIT = 18;

	/** How long a window is. */
	public static final Duration WINDOW = Duration.ofMillis(600);

	/** An instance has admitted a call alone: key, when it had asked. */
	static final String ADMITTED_LOCALLY = "admitted-locally";

	private static final int INSTANCES = 3;

	private static final Duration LOAD = Duration.ofMillis(2000);

	private Duration judged = WINDOW;

	private Duration recovery = Duration.ofSeconds(1);

	/**
	 * Prepares a scenario.
	 * @param run counts and judges
	 * @param application the application, which may be of a peer
	 * @param sabotage what is turned off in one of its instances
	 */
	public RateLimitScenario(FaultRun run, Class<?> application, Sabotage... sabotage) {
		super(run, application, sabotage);
	}

	/**
	 * Adds properties to all instances.
	 * @param properties pairs as {@code name=value}
	 * @return this
	 */
	public RateLimitScenario with(String... properties) {
		addProperties(properties);
		return this;
	}

	/**
	 * Judges to the grain of the clock of an implementation: windows that are shorter by
	 * it.
	 * @param grain the grain, nothing if nothing is said
	 * @return this
	 */
	public RateLimitScenario grain(Duration grain) {
		this.judged = WINDOW.minus(grain);
		return this;
	}

	/**
	 * Goes on for longer after a loss of data, for an implementation that takes its time
	 * to find Redis again.
	 * @param recovery how long, a second if nothing is said
	 * @return this
	 */
	public RateLimitScenario recovery(Duration recovery) {
		this.recovery = recovery;
		return this;
	}

	/**
	 * Instances are killed under load and replaced.
	 */
	public void instancesKilledUnderLoad() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			List<Instance> instances = working(subjectAnd(INSTANCES - 1, redis));
			while (this.run.next()) {
				List<CompletableFuture<String>> load = load(instances, LOAD);
				awaitAdmission(instances.get(0));
				pass(WINDOW.dividedBy(2));
				int killed = 1 + this.run.random().nextInt(INSTANCES - 1);
				this.run.inject(Fault.of("killed", instances.get(killed)::kill));
				instances.set(killed, others(redis).start());
				load.addAll(load(instances.subList(killed, killed + 1), WINDOW.multipliedBy(2)));
				tally(load);
				judge(Long.MIN_VALUE, Long.MAX_VALUE);
			}
		}
	}

	/**
	 * Something happens again and again under load that loses no data.
	 * @param fault what happens, and to what
	 * @param apart how much time lies between, at least
	 * @param noFailures whether no call may fail
	 */
	public void repeatedly(RedisFault fault, Duration apart, boolean noFailures) {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			List<Instance> instances = working(subjectAnd(INSTANCES - 1, redis));
			while (this.run.next()) {
				List<CompletableFuture<String>> load = load(instances, LOAD);
				awaitAdmission(instances.get(0));
				while (!load.get(0).isDone()) {
					this.run.inject(Fault.of("repeated", () -> fault.inject(redis)));
					pass(apart.plusMillis(this.run.random().nextInt(50)));
				}
				long failed = tally(load);
				this.run.require(failed == 0 || !noFailures, failed + " calls failed");
				judge(Long.MIN_VALUE, Long.MAX_VALUE);
			}
		}
	}

	/**
	 * Redis hangs until nobody waits for its answers any more, then works off what has
	 * arrived.
	 */
	public void redisHungAndResumed() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			List<Instance> instances = working(subjectAnd(INSTANCES - 1, redis));
			RedisNode node = redis.primary();
			Fault hang = Fault.of("hung", node::pause, node::resume);
			while (this.run.next()) {
				List<CompletableFuture<String>> load = load(instances, LOAD.plusSeconds(2));
				awaitAdmission(instances.get(0));
				this.run.inject(hang);
				pass(Duration.ofMillis(700 + this.run.random().nextInt(600)));
				this.run.heal(hang);
				long back = System.nanoTime();
				awaitAdmission(instances.get(0), back);
				this.run.latency(since(back));
				tally(load);
				judge(Long.MIN_VALUE, Long.MAX_VALUE);
			}
		}
	}

	/**
	 * Redis loses all data, by a restart without persistence or otherwise: before and
	 * after the loss the limit holds.
	 * @param loss loses the data and returns when Redis is back
	 */
	public void dataLost(RedisFault loss) {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			List<Instance> instances = working(subjectAnd(INSTANCES - 1, redis));
			while (this.run.next()) {
				long started = System.nanoTime();
				List<CompletableFuture<String>> load = load(instances, LOAD.plus(this.recovery));
				awaitAdmission(instances.get(0));
				pass(WINDOW);
				long before = System.nanoTime();
				this.run.inject(Fault.of("loss", () -> loss.inject(redis)));
				long after = System.nanoTime();
				awaitAdmission(instances.get(0), after);
				this.run.latency(since(after));
				tally(load);
				judge(started, before);
				judge(after, Long.MAX_VALUE);
				this.run.note("windows above the limit across the loss",
						history().admissionsPerWindow(inRound(), LIMIT, WINDOW).size());
			}
		}
	}

	/**
	 * Redis is away and each instance decides alone.
	 */
	public void localSharesWhileRedisIsAway() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			// All of them, so that they count each other
			List<Instance> instances = working(subjects(redis).start(INSTANCES));
			RedisNode node = redis.primary();
			while (this.run.next()) {
				for (Instance instance : instances) {
					Awaitility.await("instances known to " + instance)
						.atMost(Duration.ofSeconds(20))
						.until(() -> Integer.parseInt(instance.get("knownInstances")), (known) -> known >= INSTANCES);
				}
				this.run.inject(Fault.of("killed", node::kill));
				List<CompletableFuture<String>> load = load(instances, LOAD);
				tally(load);
				this.run.require(history().count(ADMITTED_LOCALLY) > 0, "Nobody was admitted locally");
				for (Instance instance : instances) {
					this.run.violations(history().admissionsPerWindow((entry) -> entry.kind().equals(ADMITTED_LOCALLY)
							&& entry.field(0).equals(key()) && entry.process().equals(instance.name()),
							LIMIT / INSTANCES, WINDOW));
				}
				this.run.violations(history().admissionsPerWindow(
						(entry) -> entry.kind().equals(ADMITTED_LOCALLY) && entry.field(0).equals(key()), LIMIT,
						WINDOW));
				node.start();
			}
		}
	}

	/**
	 * The wall clock of one instance is five minutes ahead.
	 */
	public void clockOfOneInstanceFiveMinutesAhead() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			this.run.injected();
			List<Instance> instances = new ArrayList<>(subjects(redis).start(INSTANCES - 1));
			instances.add(subjects(redis).clockAhead(Duration.ofMinutes(5)).start());
			working(instances);
			while (this.run.next()) {
				tally(load(instances, LOAD));
				judge(Long.MIN_VALUE, Long.MAX_VALUE);
			}
		}
	}

	/**
	 * Every command of one instance arrives half a second late, those of the others do
	 * not.
	 */
	public void halfASecondOfLatency() {
		try (StandaloneRedis redis = RedisServers.standalone(); TcpProxy proxy = new TcpProxy(redis.primary())) {
			List<Instance> instances = working(subjectAnd(INSTANCES - 2, redis));
			instances.add(others("spring.data.redis.host=" + proxy.host(), "spring.data.redis.port=" + proxy.port(),
					"ge.redis.outage.command-timeout=2s", "spring.data.redis.timeout=10s")
				.start());
			Fault latency = Fault.of("latency", () -> proxy.latency(Duration.ofMillis(500)),
					() -> proxy.latency(Duration.ZERO));
			while (this.run.next()) {
				load(instances.subList(2, 3), WINDOW).forEach(Scenario::result);
				this.run.inject(latency);
				tally(load(instances, LOAD));
				this.run.heal(latency);
				judge(Long.MIN_VALUE, Long.MAX_VALUE);
			}
		}
	}

	private String key() {
		return "round-" + this.run.round();
	}

	private Predicate<Entry> inRound() {
		String key = key();
		return (entry) -> entry.kind().equals(Journal.ADMITTED) && entry.field(0).equals(key);
	}

	/**
	 * Waits until connections stand and classes are loaded.
	 */
	private List<Instance> working(List<Instance> instances) {
		for (Instance instance : othersFirst(instances)) {
			Awaitility.await("working " + instance)
				.atMost(Duration.ofSeconds(30))
				.until(() -> !instance.get("take", "working-" + instance.name(), "20").startsWith("0 0 "));
		}
		return instances;
	}

	private List<CompletableFuture<String>> load(List<Instance> instances, Duration duration) {
		List<CompletableFuture<String>> load = new ArrayList<>();
		for (Instance instance : instances) {
			for (int i = 0; i < 2; i++) {
				load.add(instance.call("take", key(), String.valueOf(duration.toMillis())));
			}
		}
		return load;
	}

	private void awaitAdmission(Instance instance) {
		awaitAdmission(instance, Long.MIN_VALUE);
	}

	private void awaitAdmission(Instance instance, long from) {
		String key = key();
		await("admission at " + instance, (entry) -> entry.kind().equals(Journal.ADMITTED) && entry.field(0).equals(key)
				&& entry.process().equals(instance.name()) && entry.number(1) > from);
	}

	/**
	 * Waits for the load and counts it.
	 * @return how many calls failed
	 */
	private long tally(List<CompletableFuture<String>> load) {
		long failed = 0;
		for (CompletableFuture<String> call : load) {
			String[] counts = result(call).split(" ");
			if (counts.length == 5) {
				for (int i = 0; i < 4; i++) {
					this.run.operations(Long.parseLong(counts[i]));
				}
				failed += Long.parseLong(counts[3]);
				this.run.latency(Duration.ofMillis(Long.parseLong(counts[4])));
			}
		}
		this.run.note("failed", failed);
		return failed;
	}

	/**
	 * Judges what was asked and answered within a time in this round.
	 */
	private void judge(long from, long to) {
		this.run.violations(history().admissionsPerWindow(
				inRound().and((entry) -> entry.number(1) >= from && entry.nanos() <= to), LIMIT, this.judged));
	}

	/**
	 * What happens to Redis.
	 */
	@FunctionalInterface
	public interface RedisFault {

		/**
		 * Lets it happen.
		 * @param redis the servers
		 * @throws Exception if it cannot happen
		 */
		void inject(StandaloneRedis redis) throws Exception;

	}

}
