// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TcpProxy;
import io.ge.redis.test.TcpProxy.Direction;
import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.Sabotage;
import org.awaitility.Awaitility;

/**
 * Faults of one kind in large numbers, at random moments, and how long the worst of them
 * costs. The application has the operations of {@link LockNumberOperations}.
 */
public final class LockNumberScenario extends Scenario {

	private static final Duration LONG_LEASE = Duration.ofSeconds(20);

	/** How long a lock is held that is not renewed. */
	public static final Duration LEASE = Duration.ofMillis(600);

	private static final Duration PATIENCE = Duration.ofSeconds(15);

	/** How many locks a partition or a kill meets at once. */
	private static final int LOCKS = 4;

	/** How far from a release a connection is killed, in nanoseconds. */
	private static final long SPREAD = 3_000_000;

	/** How many instances draw tokens, of how many locks. */
	private static final int DRAWING = 3;

	private static final int KEYS = 3;

	/**
	 * Prepares a scenario.
	 * @param run counts and judges
	 * @param application the application
	 * @param sabotage what is turned off in one of its instances
	 */
	public LockNumberScenario(FaultRun run, Class<?> application, Sabotage... sabotage) {
		super(run, application, sabotage);
	}

	/**
	 * Adds properties to all instances.
	 * @param properties pairs as {@code name=value}
	 * @return this
	 */
	public LockNumberScenario with(String... properties) {
		addProperties(properties);
		return this;
	}

	/**
	 * The connection for messages is killed within some milliseconds of a release, before
	 * or after, while another instance waits. Ends with the first that is not served.
	 * @param kills how often in each round
	 * @param worst the longest that a waiter may wait for after a release
	 * @param p99 what one in a hundred may wait for at most
	 */
	public void pushConnectionKilledAtRelease(int kills, Duration worst, Duration p99) {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			List<Instance> instances = subjectAnd(1, redis);
			Instance waiter = instances.get(0);
			Instance owner = instances.get(1);
			awaitWorking(owner);
			awaitWorking(waiter);
			Fault kill = Fault.of("killed", () -> redis.primary().command("CLIENT", "KILL", "TYPE", "pubsub"));
			while (this.run.violations().isEmpty() && this.run.next()) {
				List<Duration> waits = new ArrayList<>();
				for (int i = 0; i < kills && this.run.violations().isEmpty(); i++) {
					String key = "push-" + this.run.round() + "-" + i;
					this.run.require(owner.get("take", "0", millis(LONG_LEASE), key).equals("held"), key + " is taken");
					CompletableFuture<String> waiting = waiter.call("pass", millis(LONG_LEASE), millis(LONG_LEASE),
							key);
					awaitQueued(redis, key);
					Duration offset = Duration.ofNanos(this.run.random().nextLong(-SPREAD, SPREAD));
					CompletableFuture<String> given;
					if (offset.isNegative()) {
						this.run.inject(kill);
						pass(offset.negated());
						given = owner.call("give", key);
					}
					else {
						given = owner.call("give", key);
						pass(offset);
						this.run.inject(kill);
					}
					long released = moment(given);
					long entered = moment(waiting);
					this.run.require(entered > 0, key + ": the waiter was not served");
					waits.add(Duration.ofNanos(entered - released));
					this.run.operations(2);
				}
				judge("wait", waits, worst, p99);
			}
		}
	}

	/**
	 * An instance is killed that holds locks, at a random moment between two extensions,
	 * while another one waits for them.
	 * @param kills how often in each round
	 * @param late the longest that a waiter may wait for after the end of the lease
	 */
	public void holderKilled(int kills, Duration late) {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			Instance waiter = subjects(redis).start();
			awaitWorking(waiter);
			while (this.run.next()) {
				List<Duration> waits = new ArrayList<>();
				for (int i = 0; i < kills; i++) {
					Instance owner = others(redis).start();
					awaitWorking(owner);
					String[] keys = keys("killed-" + this.run.round() + "-" + i);
					this.run.require(owner.get("take", arguments("0", millis(LEASE), keys)).equals("held"),
							"All locks are taken");
					CompletableFuture<String> waiting = waiter.call("pass",
							arguments(millis(PATIENCE), millis(LEASE), keys));
					awaitQueued(redis, keys[keys.length - 1]);
					pass(Duration.ofMillis(this.run.random().nextLong(LEASE.toMillis())));
					this.run.inject(Fault.of("killed", owner::kill));
					long[] ends = new long[keys.length];
					for (int k = 0; k < keys.length; k++) {
						Object left = redis.primary().command("PTTL", "ge:lock:{orders:" + keys[k] + "}");
						ends[k] = System.nanoTime() + Math.max(0, ((Long) left)) * 1_000_000;
					}
					long[] entered = moments(waiting);
					for (int k = 0; k < keys.length; k++) {
						this.run.require(entered[k] > 0, keys[k] + ": the waiter was not served");
						waits.add(Duration.ofNanos(Math.max(0, entered[k] - ends[k])));
						this.run.operations(2);
					}
				}
				judge("after the lease", waits, late, late);
			}
		}
	}

	/**
	 * Holders are cut off from Redis in one way or another at random moments between two
	 * extensions, while another instance waits for their locks.
	 * @param partitions how many in each round
	 * @param sites how many instances suffer side by side, each with a network of its own
	 * @param watched for how long holders ask whether their locks are valid
	 */
	public void partitions(int partitions, int sites, Duration watched) {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			Instance other = others(redis).start();
			awaitWorking(other);
			List<TcpProxy> proxies = new ArrayList<>();
			List<Instance> owners = new ArrayList<>();
			try {
				for (int i = 0; i < sites; i++) {
					TcpProxy proxy = new TcpProxy(redis.primary());
					proxies.add(proxy);
					owners.add(
							subjects("spring.data.redis.host=" + proxy.host(), "spring.data.redis.port=" + proxy.port())
								.start());
				}
				while (this.run.next()) {
					List<CompletableFuture<Void>> suffering = new ArrayList<>();
					for (int i = 0; i < sites; i++) {
						TcpProxy proxy = proxies.get(i);
						Instance owner = owners.get(i);
						String site = "site-" + i + "-" + this.run.round() + "-";
						Random random = new Random(this.run.random().nextLong());
						suffering.add(CompletableFuture.runAsync(() -> {
							for (int round = 0; round < partitions / sites; round++) {
								partition(owner, proxy, other, site + round, watched, random);
							}
						}, (task) -> new Thread(task, "site").start()));
					}
					CompletableFuture.allOf(suffering.toArray(CompletableFuture[]::new)).join();
				}
			}
			finally {
				proxies.forEach(TcpProxy::close);
			}
		}
	}

	private void partition(Instance owner, TcpProxy proxy, Instance other, String name, Duration watched,
			Random random) {
		awaitWorking(owner);
		String[] keys = keys(name);
		if (!result(owner.call("take", arguments("0", millis(LEASE), keys))).equals("held")) {
			this.run.note("not held for long enough to be cut off", 1);
			return;
		}
		CompletableFuture<String> watching = owner.call("watch", arguments(millis(watched), "0", keys));
		CompletableFuture<String> waiting = other.call("pass", arguments(millis(PATIENCE), millis(LEASE), keys));
		pass(Duration.ofMillis(random.nextLong(LEASE.toMillis())));
		this.run.inject(partition(proxy, random.nextInt(7)));
		if (random.nextBoolean()) {
			// Heals when the lease may just be ending: what was held back arrives late
			pass(Duration.ofMillis(random.nextLong(LEASE.toMillis(), 2 * LEASE.toMillis())));
			proxy.resume();
		}
		long[] entered = moments(waiting);
		proxy.resume();
		long[] valid = moments(watching);
		for (int i = 0; i < keys.length; i++) {
			this.run.require(entered[i] > 0, keys[i] + ": the other instance was not served");
			this.run.require(entered[i] - valid[i] >= 0, keys[i] + ": the next holder began "
					+ Duration.ofNanos(valid[i] - entered[i]) + " before the lock was last valid for the old one");
			this.run.operations(2);
		}
	}

	private static Fault partition(TcpProxy proxy, int way) {
		return switch (way) {
			case 0 -> Fault.of("cut", proxy::cut);
			case 1 -> Fault.of("hung", proxy::hang);
			case 2 -> Fault.of("requests hung", () -> proxy.hang(Direction.REQUESTS));
			case 3 -> Fault.of("replies hung", () -> proxy.hang(Direction.REPLIES));
			case 4 -> Fault.of("requests lost", () -> proxy.swallow(Direction.REQUESTS));
			case 5 -> Fault.of("replies lost", () -> proxy.swallow(Direction.REPLIES));
			default -> Fault.of("both lost", () -> {
				proxy.swallow(Direction.REQUESTS);
				proxy.swallow(Direction.REPLIES);
			});
		};
	}

	/**
	 * Redis loses data in one way or another at random moments: it is killed and comes
	 * back with nothing, is emptied, or a replica takes its place that has not seen the
	 * last writes.
	 * @param acquisitions how many locks are taken in each round, at least
	 */
	public void tokensWhileRedisLosesData(int acquisitions) {
		try (StandaloneRedis redis = RedisServers.standaloneWithReplicas(1);
				TcpProxy proxy = new TcpProxy(redis.primary())) {
			String[] address = { "spring.data.redis.host=" + proxy.host(), "spring.data.redis.port=" + proxy.port() };
			List<Instance> instances = subjects(address).start(DRAWING);
			RedisNode[] roles = { redis.primary(), redis.replicas().get(0) };
			while (this.run.next()) {
				int taken = 0;
				for (int i = 0; taken < acquisitions; i++) {
					instances.forEach(this::awaitWorking);
					taken += draw(instances, roles, proxy, Math.min(acquisitions * 3L, 3000));
				}
				this.run.operations(taken);
			}
			this.run.violations(history().fencingOrder());
		}
	}

	private int draw(List<Instance> instances, RedisNode[] roles, TcpProxy proxy, long millis) {
		List<CompletableFuture<String>> drawing = new ArrayList<>();
		for (Instance instance : instances) {
			for (int k = 0; k < KEYS; k++) {
				drawing.add(instance.call("draw", String.valueOf(millis), millis(LEASE), "draw-" + k));
			}
		}
		while (!drawing.get(0).isDone()) {
			pass(Duration.ofMillis(this.run.random().nextLong(50, 250)));
			this.run.inject(loss(roles, proxy));
		}
		int taken = 0;
		for (CompletableFuture<String> call : drawing) {
			String[] counts = result(call).split(" ");
			taken += Integer.parseInt(counts[0]);
			this.run.note("failed", Long.parseLong(counts[1]));
		}
		return taken;
	}

	private Fault loss(RedisNode[] roles, TcpProxy proxy) {
		return switch (this.run.random().nextInt(3)) {
			case 0 -> Fault.of("restarted", () -> {
				this.run.note("restarts", 1);
				roles[0].kill();
				roles[0].start();
				roles[0].command("REPLICAOF", "NO", "ONE"); // it may have been born a
															// replica
			});
			case 1 -> Fault.of("emptied", () -> {
				this.run.note("FLUSHALL", 1);
				roles[0].command("FLUSHALL", "SYNC");
			});
			default -> Fault.of("failed over", () -> {
				this.run.note("failovers", 1);
				roles[1].command("REPLICAOF", "NO", "ONE"); // sees nothing from here on
				pass(Duration.ofMillis(this.run.random().nextLong(50)));
				proxy.redirect(roles[1]);
				RedisNode former = roles[0];
				roles[0] = roles[1];
				roles[1] = former;
				former.command("REPLICAOF", roles[0].host(), String.valueOf(roles[0].port()));
				Awaitility.await("copy of the new primary")
					.pollInterval(Duration.ofMillis(10))
					.until(() -> "up".equals(former.info("replication", "master_link_status")));
			});
		};
	}

	private void awaitWorking(Instance instance) {
		Awaitility.await("working " + instance)
			.atMost(Duration.ofSeconds(30))
			.pollInterval(Duration.ofMillis(10))
			.until(() -> result(instance.call("pass", "0", millis(LEASE), "working-" + instance.name())),
					(moment) -> moment.matches("[1-9][0-9]*"));
	}

	private static void awaitQueued(StandaloneRedis redis, String key) {
		Awaitility.await("an instance that waits for " + key)
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(2))
			.until(() -> redis.primary().command("ZCARD", "ge:lock:{orders:" + key + "}:q1"),
					(size) -> Long.valueOf(1).equals(size));
	}

	private void judge(String what, List<Duration> waits, Duration worst, Duration p99) {
		Collections.sort(waits);
		Duration longest = waits.get(waits.size() - 1);
		Duration most = waits.get((waits.size() - 1) * 99 / 100);
		this.run.latency(longest);
		this.run.note("p50 ms of the " + what, waits.get((waits.size() - 1) / 2).toMillis());
		this.run.note("p99 ms of the " + what, most.toMillis());
		this.run.require(longest.compareTo(worst) <= 0, "The longest " + what + " was " + longest);
		this.run.require(most.compareTo(p99) <= 0, "One in a hundred had a " + what + " of " + most);
	}

	private static String[] keys(String name) {
		String[] keys = new String[LOCKS];
		for (int i = 0; i < LOCKS; i++) {
			keys[i] = name + "-" + i;
		}
		return keys;
	}

	private static String[] arguments(String first, String second, String[] keys) {
		List<String> all = new ArrayList<>(List.of(first, second));
		all.addAll(List.of(keys));
		return all.toArray(String[]::new);
	}

	private static long moment(CompletableFuture<String> call) {
		return moments(call)[0];
	}

	private static long[] moments(CompletableFuture<String> call) {
		String told = result(call);
		if (!told.matches("[0-9 ]+")) {
			throw new IllegalStateException("No moments but " + told);
		}
		return Arrays.stream(told.split(" ")).mapToLong(Long::parseLong).toArray();
	}

	private static String millis(Duration duration) {
		return String.valueOf(duration.toMillis());
	}

}
