// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import io.ge.redis.test.RedisMonitor;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
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

	/** The name of the limit. */
	public static final String NAME = "orders";

	/** How many calls may be admitted in a window. */
	public static final int LIMIT = 18;

	/** How long a window is. */
	public static final Duration WINDOW = Duration.ofMillis(600);

	/** An instance has admitted a call alone: key, when it had asked. */
	static final String ADMITTED_LOCALLY = "admitted-locally";

	/** Calls were not admitted: key, when the last of them had asked. */
	static final String REFUSED_UNTIL = "refused-until";

	private static final int INSTANCES = 3;

	private static final boolean IS_LONG = Long.getLong("ge.test.chaos.minutes", 0) > 0;

	private static final int THREADS = 4;

	/** So many calls say something about {@link #pushCutWhileLimitsChange}. */
	public static final int ENOUGH = 40;

	/** So many calls say something about {@link #dataLostWhileDenied}. */
	public static final int MANY = 100;

	private static final Duration LOAD = Duration.ofMillis(2000);

	/** Two clocks are compared. */
	private static final Duration GRAIN = Duration.ofMillis(2);

	/** A turn that came later was forgotten, however busy the machine is. */
	private static final Duration LATEST = Duration.ofSeconds(5);

	/** A second is promised; the rest is for a busy machine. */
	private static final Duration LET_IN = Duration.ofSeconds(2);

	private static final Duration BACK = Duration.ofSeconds(2);

	private static final Duration TOO_LONG = Duration.ofSeconds(1);

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
				awaitAdmission(instances.get(0), load);
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
				awaitAdmission(instances.get(0), load);
				int number = 0;
				do {
					this.run.inject(Fault.of("repeated", () -> fault.inject(redis)));
					// Asks Redis, and as a rule first: others are refused from memory
					load.add(instances.get(0).call("take", key() + "-" + number++, "10"));
					pass(apart.plusMillis(this.run.random().nextInt(50)));
				}
				while (!load.get(0).isDone());
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
				awaitAdmission(instances.get(0), load);
				this.run.inject(hang);
				pass(Duration.ofMillis(700 + this.run.random().nextInt(600)));
				this.run.heal(hang);
				long back = System.nanoTime();
				awaitAdmission(instances.get(0), back, load);
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
				awaitAdmission(instances.get(0), load);
				pass(WINDOW);
				long before = System.nanoTime();
				this.run.inject(Fault.of("loss", () -> loss.inject(redis)));
				long after = System.nanoTime();
				awaitAdmission(instances.get(0), after, load);
				this.run.latency(since(after));
				tally(load);
				judge(started, before);
				judge(after, Long.MAX_VALUE);
				this.run.violations(history().admissionsPerWindow(inRound(), 2 * LIMIT, this.judged));
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
				awaitKnown(instances);
				this.run.inject(Fault.of("killed", node::kill));
				List<CompletableFuture<String>> load = load(instances, LOAD);
				tally(load);
				judgeLocal(instances);
				node.start();
			}
		}
	}

	/**
	 * Nothing happens, but everybody comes at once: many instances with many threads ask
	 * for a limit. Judged by the times inside the script as well as by what callers see.
	 */
	public void manyInstancesWithManyThreads() {
		int limit = 300;
		Duration window = Duration.ofSeconds(1);
		int number = IS_LONG ? 8 : 4;
		Duration load = IS_LONG ? Duration.ofMinutes(1) : Duration.ofMillis(2000);
		addProperties("test.limit=" + limit, "test.window=" + window.toMillis() + "ms");
		try (StandaloneRedis redis = RedisServers.standalone()) {
			List<Instance> instances = working(subjectAnd(number - 1, redis));
			while (this.run.next()) {
				this.run.injected();
				try (RedisMonitor monitor = RedisMonitor.of(redis.primary(), "RPUSH")) {
					// Again where the machine was too busy to use the limit up
					for (int i = 0; i == 0 || (i < 20 && stamps(monitor.executed()).size() <= limit); i++) {
						tally(hammer(instances, load, 16));
					}
					judgeStamps(monitor.executed(), limit, window);
				}
				this.run.violations(history().admissionsPerWindow(inRound(), limit, window));
			}
		}
	}

	/**
	 * Callers of several instances wait for their turn, and one of these is killed: the
	 * others get theirs in the order in which they came, and none earlier than that.
	 */
	public void instanceWithWaitersKilled() {
		int limit = 8;
		addProperties("test.limit=" + limit, "test.wait=20s");
		try (StandaloneRedis redis = RedisServers.standalone()) {
			List<Instance> instances = working(subjectAnd(INSTANCES - 1, redis));
			while (this.run.next()) {
				replaceKilled(instances, redis);
				long origin = System.nanoTime();
				long server = serverMicros(redis);
				List<CompletableFuture<String>> callers = new ArrayList<>();
				List<Long> stamps;
				int killed = 1 + this.run.random().nextInt(INSTANCES - 1);
				try (RedisMonitor monitor = RedisMonitor.of(redis.primary(), "RPUSH")) {
					for (int i = 0; i < limit * 4; i++) {
						callers.add(instances.get(i % INSTANCES).call("ask", key(), String.valueOf(i)));
						awaitStamps(monitor, i + 1);
					}
					this.run.inject(Fault.of("killed", instances.get(killed)::kill));
					stamps = judgeTurns(monitor.executed(), limit);
				}
				for (int i = 0; i < callers.size(); i++) {
					String result = result(callers.get(i));
					this.run.operations(1);
					this.run.require(i % INSTANCES == killed || result.equals("REDIS"),
							"Caller " + i + " got " + result + " instead of its turn");
				}
				for (Entry entry : history().entries().stream().filter(inRound()).toList()) {
					long turn = origin + (stamps.get((int) entry.number(2)) - server) * 1000;
					this.run.latency(Duration.ofNanos(entry.nanos() - turn));
					this.run.require(entry.nanos() - turn > -GRAIN.toNanos(), "Caller " + entry.field(2) + " came "
							+ Duration.ofNanos(turn - entry.nanos()) + " too early");
					this.run.require(entry.nanos() - turn < LATEST.toNanos(),
							"Caller " + entry.field(2) + " came " + Duration.ofNanos(entry.nanos() - turn) + " late");
				}
				judge(limit);
			}
		}
	}

	/**
	 * No message reaches anybody, while one instance forgets what was used and then
	 * raises the limit: callers that another one refuses are let in nevertheless.
	 */
	public void pushCutWhileLimitsChange() {
		addProperties("test.window=20s", "ge.redis.rate-limit.limits." + NAME + ".limit=" + LIMIT,
				"ge.redis.rate-limit.limits." + NAME + ".window=20s");
		try (StandaloneRedis redis = RedisServers.standalone()) {
			List<Instance> instances = working(subjectAnd(1, redis));
			Instance subject = instances.get(0);
			Instance other = instances.get(1);
			RedisNode node = redis.primary();
			while (this.run.next()) {
				// Now and then the connection comes back at once
				boolean stays = this.run.round() == 1 || this.run.random().nextBoolean();
				Fault cut = Fault.of("cut", () -> {
					if (stays) {
						node.forbid("subscribe");
					}
					node.killClients("pubsub");
				}, () -> node.permit("subscribe"));
				awaitDenied(subject);
				this.run.inject(cut);
				// Again where the machine was too busy for enough of them
				for (int i = 0; i == 0 || (i < 20 && this.run.row().operations() < ENOUGH); i++) {
					tally(List.of(subject.call("take", key(), String.valueOf(200 + this.run.random().nextInt(200)))));
				}
				boolean letIn = awaitLetIn(subject, () -> other.get("reset", key()), "reset")
						&& awaitLetIn(subject, () -> other.get("change", key(), String.valueOf(LIMIT * 2)), "change");
				this.run.heal(cut);
				if (!letIn) {
					return;
				}
			}
		}
	}

	/**
	 * Waits until an instance refuses from memory.
	 * @return what it says then: the source, when it was asked, and how long to wait
	 */
	private String awaitDenied(Instance instance) {
		return Awaitility.await("denied")
			.atMost(Duration.ofSeconds(30))
			.until(() -> instance.get("ask", key(), "0"), (answer) -> answer.startsWith("DENY_CACHE "));
	}

	private boolean awaitLetIn(Instance subject, Runnable change, String what) {
		String key = key();
		change.run();
		long changed = System.nanoTime();
		Predicate<Entry> letIn = inRound()
			.and((entry) -> entry.process().equals(subject.name()) && entry.number(1) - changed > 0);
		// Whom a busy machine keeps from asking is not refused
		Predicate<Entry> refused = (entry) -> entry.kind().equals(REFUSED_UNTIL)
				&& entry.process().equals(subject.name()) && entry.field(0).equals(key)
				&& entry.number(1) - changed > LET_IN.toNanos();
		while (find(letIn) == null && find(refused) == null) {
			tally(List.of(subject.call("take", key, "40")));
		}
		Entry first = find(letIn);
		if (first == null || find(refused.and((entry) -> entry.number(1) < first.number(1))) != null) {
			this.run.violation(key + ": still refused " + LET_IN + " after the " + what);
			return false;
		}
		this.run.latency(Duration.ofNanos(first.number(1) - changed));
		awaitDenied(subject);
		return true;
	}

	/**
	 * Redis hangs: the first calls wait for it, all others are decided on by each
	 * instance alone, until it is back.
	 */
	public void redisHungAndDecidedAlone() {
		addProperties("test.on-outage=local", "ge.redis.outage.command-timeout=400ms");
		try (StandaloneRedis redis = RedisServers.standalone()) {
			List<Instance> instances = working(subjects(redis).start(INSTANCES));
			RedisNode node = redis.primary();
			Fault hang = Fault.of("hung", node::pause, node::resume);
			while (this.run.next()) {
				awaitKnown(instances);
				List<CompletableFuture<String>> load = hammer(instances, Duration.ofMillis(4500), THREADS);
				awaitAdmission(instances.get(0), load);
				this.run.inject(hang);
				List<Integer> before = unanswered(instances);
				pass(Duration.ofMillis(2200 + this.run.random().nextInt(300)));
				List<Integer> after = unanswered(instances);
				this.run.heal(hang);
				long back = System.nanoTime();
				Stopwatch watch = Stopwatch.start();
				for (Instance instance : instances) {
					Duration took = awaitBack(instance, back, watch, load);
					this.run.latency(took);
					this.run.require(took.compareTo(BACK) < 0, instance.name() + " was back after " + took);
				}
				tally(load);
				for (int i = 0; i < instances.size(); i++) {
					int waited = after.get(i) - before.get(i);
					// Each thread once, who looks for changed limits, and those that had
					// gone on before the third failure
					this.run.require(waited <= THREADS + 1 + 2,
							instances.get(i).name() + ": " + waited + " calls waited for Redis");
				}
				judgeLocal(instances);
			}
		}
	}

	private static List<Integer> unanswered(List<Instance> instances) {
		return instances.stream().map((instance) -> Integer.valueOf(instance.get("unanswered"))).toList();
	}

	/**
	 * Waits for the first admission by Redis, under load however long that takes.
	 * @return how long it took, without what the machine has withheld
	 */
	private Duration awaitBack(Instance instance, long back, Stopwatch watch, List<CompletableFuture<String>> load) {
		Predicate<Entry> admission = inRound()
			.and((entry) -> entry.process().equals(instance.name()) && entry.number(1) - back > 0);
		Entry first = Awaitility.await("admission at " + instance)
			.atMost(Duration.ofSeconds(30))
			.pollInterval(Duration.ofMillis(40))
			.until(() -> {
				if (load.stream().allMatch(CompletableFuture::isDone)) {
					load.addAll(hammer(List.of(instance), WINDOW, THREADS));
				}
				return find(admission);
			}, (found) -> found != null);
		return between(back, first.nanos(), watch);
	}

	private void awaitKnown(List<Instance> instances) {
		for (Instance instance : instances) {
			Awaitility.await("instances known to " + instance)
				.atMost(Duration.ofSeconds(20))
				.until(() -> Integer.parseInt(instance.get("knownInstances")), (known) -> known >= INSTANCES);
		}
	}

	private void judgeLocal(List<Instance> instances) {
		Predicate<Entry> local = (entry) -> entry.kind().equals(ADMITTED_LOCALLY) && entry.field(0).equals(key());
		this.run.require(history().entries().stream().anyMatch(local), "Nobody was admitted locally");
		for (Instance instance : instances) {
			this.run.violations(history().admissionsPerWindow(
					local.and((entry) -> entry.process().equals(instance.name())), LIMIT / INSTANCES, WINDOW));
		}
		this.run.violations(history().admissionsPerWindow(local, LIMIT, WINDOW));
	}

	/**
	 * Redis loses all data while an instance refuses callers from memory: it does not so
	 * for longer than it has said.
	 * @param loss loses the data and returns when Redis is back
	 */
	public void dataLostWhileDenied(RedisFault loss) {
		addProperties("test.window=2s");
		try (StandaloneRedis redis = RedisServers.standalone()) {
			List<Instance> instances = working(subjectAnd(1, redis));
			Instance subject = instances.get(0);
			while (this.run.next()) {
				tally(List.of(instances.get(1).call("take", key(), "200")));
				String[] denied = awaitDenied(subject).split(" ");
				long asked = Long.parseLong(denied[1]);
				long said = asked + Long.parseLong(denied[2]);
				CompletableFuture<String> load = subject.call("take", key(), "200");
				this.run.inject(Fault.of("loss", () -> loss.inject(redis)));
				tally(List.of(load));
				Predicate<Entry> admitted = inRound()
					.and((entry) -> entry.process().equals(subject.name()) && entry.nanos() - asked > 0);
				// Whom a busy machine keeps from asking is not refused
				Predicate<Entry> refused = (entry) -> entry.kind().equals(REFUSED_UNTIL)
						&& entry.process().equals(subject.name()) && entry.field(0).equals(key())
						&& entry.number(1) - said > TOO_LONG.toNanos();
				while ((find(admitted) == null && find(refused) == null && System.nanoTime() - said < LATEST.toNanos())
						|| this.run.row().operations() < MANY) {
					tally(List.of(subject.call("take", key(), "200")));
				}
				Entry first = find(admitted);
				this.run.require(
						first != null && find(refused.and((entry) -> entry.number(1) < first.number(1))) == null,
						"Refused for longer than said");
				if (first != null) {
					this.run.latency(Duration.ofNanos(Math.max(0, first.number(1) - said)));
				}
				this.run.violations(history().admissionsPerWindow(inRound(), 2 * LIMIT, Duration.ofSeconds(2)));
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

	private void replaceKilled(List<Instance> instances, StandaloneRedis redis) {
		for (int i = 0; i < instances.size(); i++) {
			if (!instances.get(i).isRunning()) {
				instances.set(i, others(redis).start());
				working(instances.subList(i, i + 1));
			}
		}
	}

	private List<CompletableFuture<String>> hammer(List<Instance> instances, Duration duration, int threads) {
		List<CompletableFuture<String>> load = new ArrayList<>();
		for (Instance instance : instances) {
			load.add(instance.call("hammer", key(), String.valueOf(duration.toMillis()), String.valueOf(threads)));
		}
		return load;
	}

	/**
	 * Judges by the times at which the script itself took permits.
	 */
	private void judgeStamps(List<RedisMonitor.Executed> pushes, int limit, Duration window) {
		List<Long> stamps = stamps(pushes);
		this.run.require(stamps.size() > limit, "Only " + stamps.size() + " permits were taken");
		long seen = history().entries().stream().filter(inRound()).count();
		this.run.require(seen <= stamps.size(), seen + " were admitted with " + stamps.size() + " permits");
		int most = 0;
		int first = 0;
		for (int last = 0; last < stamps.size(); last++) {
			while (stamps.get(last) - stamps.get(first) >= window.toNanos() / 1000) {
				first++;
			}
			most = Math.max(most, last - first + 1);
		}
		this.run.require(most <= limit, key() + ": " + most + " of " + limit + " by the times of the script");
		// A script that was kept from going on may push what is older
		long early = ofRound(pushes).stream().filter((push) -> stamps(List.of(push)).get(0) > push.micros()).count();
		this.run.require(early == 0, early + " times of the script are ahead of the server's");
	}

	private List<Long> stamps(List<RedisMonitor.Executed> pushes) {
		return ofRound(pushes).stream()
			.flatMap((push) -> push.arguments().stream().skip(1))
			.map(Long::valueOf)
			.toList();
	}

	private void awaitStamps(RedisMonitor monitor, int number) {
		Awaitility.await("turn " + number)
			.atMost(Duration.ofSeconds(30))
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(2))
			.until(() -> ofRound(monitor.executed()).size() >= number);
	}

	private List<RedisMonitor.Executed> ofRound(List<RedisMonitor.Executed> pushes) {
		return pushes.stream().filter((push) -> push.arguments().get(0).contains("{" + key() + "}")).toList();
	}

	/**
	 * Judges the turns that were given, in the order in which callers came: each follows
	 * the one before, a window after the one whose permit it gets, and not later than
	 * that.
	 * @return the turns, in microseconds of the server's clock
	 */
	private List<Long> judgeTurns(List<RedisMonitor.Executed> pushes, int limit) {
		List<Long> turns = new ArrayList<>();
		for (RedisMonitor.Executed push : ofRound(pushes)) {
			long turn = Long.parseLong(push.arguments().get(1));
			int number = turns.size();
			long before = (number > 0) ? turns.get(number - 1) : 0;
			long free = (number >= limit) ? turns.get(number - limit) + WINDOW.toNanos() / 1000 : 0;
			this.run.require(turn >= before, "Turn " + number + " comes before the one of an earlier caller");
			this.run.require(turn >= free, "Turn " + number + " comes before its permit");
			this.run.require(turn <= Math.max(push.micros(), Math.max(before, free)),
					"Turn " + number + " comes later than it could");
			turns.add(turn);
		}
		return turns;
	}

	private static long serverMicros(StandaloneRedis redis) {
		List<?> time = (List<?>) redis.primary().command("TIME");
		return Long.parseLong(time.get(0).toString()) * 1_000_000 + Long.parseLong(time.get(1).toString());
	}

	private void judge(int limit) {
		this.run.violations(history().admissionsPerWindow(inRound(), limit, WINDOW));
	}

	private void awaitAdmission(Instance instance, List<CompletableFuture<String>> load) {
		awaitAdmission(instance, Long.MIN_VALUE, load);
	}

	/**
	 * Waits for an admission, under load however long that takes.
	 */
	private void awaitAdmission(Instance instance, long from, List<CompletableFuture<String>> load) {
		Predicate<Entry> admission = inRound()
			.and((entry) -> entry.process().equals(instance.name()) && entry.number(1) > from);
		Awaitility.await("admission at " + instance)
			.atMost(Duration.ofSeconds(30))
			.pollInterval(Duration.ofMillis(40))
			.until(() -> {
				if (load.stream().allMatch(CompletableFuture::isDone)) {
					load.addAll(load(List.of(instance), LOAD));
				}
				return find(admission) != null;
			});
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
