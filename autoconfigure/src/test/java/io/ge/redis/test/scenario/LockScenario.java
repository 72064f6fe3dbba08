// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.TcpProxy;
import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Failpoint;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.oracle.Entry;
import io.ge.redis.test.oracle.FencedCounter;
import io.ge.redis.test.oracle.History;
import io.ge.redis.test.oracle.Journal;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * What a lock suffers. The application has the operations of {@link LockOperations}.
 * <p>
 * A lock is valid for a holder from the moment it enters until it is told otherwise.
 * While Redis keeps its data no two holders have valid locks at once. When Redis loses
 * data the lock may be given to a second holder before the first one can know: those
 * overlaps are counted and told, and what must hold is that tokens rise, so that the
 * resource accepts no write of the first holder after one of the second.
 */
public final class LockScenario extends Scenario {

	/** The resource has refused a write: key, token, when that was asked. */
	static final String REFUSED_WRITE = "refused-write";

	/** A holder was told that its lock is lost: key, token. */
	static final String LOST = "lost";

	private static final Duration LEASE = Duration.ofMillis(1500);

	/** How long a lock is granted to an instance that does not answer. */
	private static final Duration GRANT = Duration.ofSeconds(2);

	/** Until when a key is free again of which nobody learnt whether it was taken. */
	private static final Duration FREE_AGAIN = Duration.ofSeconds(4);

	/** Much longer than anybody waits who is served, and holds who is to be told. */
	private static final Duration LONG = LEASE.multipliedBy(10);

	/** Until it is said that there is enough. */
	private static final Duration UNTIL_TOLD = Duration.ofMinutes(5);

	/** What a busy machine may add to a bound. */
	private static final Duration SLACK = Duration.ofMillis(1500);

	/**
	 * Prepares a scenario.
	 * @param run counts and judges
	 * @param application the application, which may be of a peer
	 * @param sabotage what is turned off in one of its instances
	 */
	public LockScenario(FaultRun run, Class<?> application, Sabotage... sabotage) {
		super(run, application, sabotage);
	}

	/**
	 * Adds properties to all instances.
	 * @param properties pairs as {@code name=value}
	 * @return this
	 */
	public LockScenario with(String... properties) {
		addProperties(properties);
		return this;
	}

	/**
	 * The holder is frozen until its lease has ended and another one holds the lock, then
	 * goes on.
	 */
	public void ownerPausedBeyondItsLeaseAndResumed() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			List<Instance> instances = subjectAnd(1, redis);
			Instance owner = instances.get(0);
			Instance other = instances.get(1);
			awaitWorking(other);
			awaitWorking(owner);
			while (this.run.next()) {
				String key = "paused-" + this.run.round();
				Fault pause = Fault.of("paused", () -> pause(owner, key), owner::resume);
				CompletableFuture<String> first = hold(owner, key, Duration.ZERO, LEASE, LONG);
				await(Journal.WRITTEN, key, owner);
				this.run.inject(pause);
				long paused = System.nanoTime();
				CompletableFuture<String> second = hold(other, key, LONG, LONG, Duration.ofMillis(500));
				await(Journal.WRITTEN, key, other);
				this.run.latency(since(paused));
				this.run.heal(pause);
				String told = result(first);
				this.run.require(told.equals("lost"), key + ": the paused owner was told: " + told);
				this.run.require(result(second).equals("done"), key + ": the other did not keep the lock");
				this.run.operations(2);
			}
			judge(redis, true);
			this.run.note("writes refused at the resource", history().count(REFUSED_WRITE));
		}
	}

	/**
	 * The holder has seen that its lock is valid and is frozen before it writes, until
	 * its lease has ended and another one has written.
	 * @param seen where a holder learns that its lock is valid
	 */
	public void ownerPausedBetweenItsLookAndItsWrite(Failpoint.Place seen) {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			while (this.run.next()) {
				List<Instance> instances = subjectAnd(1, redis);
				Instance owner = instances.get(0);
				Instance other = instances.get(1);
				Fault pause = Fault.of("paused", owner::pause, owner::resume);
				String key = "unaware-" + this.run.round();
				othersFirst(instances).forEach(this::awaitWorking);
				Failpoint hold = seen.hold();
				owner.arm(hold);
				CompletableFuture<String> first = hold(owner, key, Duration.ZERO, LEASE, LONG);
				owner.awaitReached(hold);
				this.run.inject(pause);
				long paused = System.nanoTime();
				CompletableFuture<String> second = hold(other, key, LONG, LONG, Duration.ofMillis(500));
				await(Journal.WRITTEN, key, other);
				this.run.latency(since(paused));
				this.run.heal(pause);
				owner.release(hold);
				String told = result(first);
				this.run.require(told.equals("lost"), key + ": the paused owner was told: " + told);
				this.run.require(result(second).equals("done"), key + ": the other did not keep the lock");
				this.run.operations(2);
			}
			judge(redis, true);
			this.run.note("writes refused at the resource", history().count(REFUSED_WRITE));
		}
	}

	/**
	 * An instance is killed while it holds a lock that another one waits for.
	 */
	public void instanceKilledWhileItHoldsLocks() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			Instance other = others(redis).start();
			awaitWorking(other);
			while (this.run.next()) {
				Instance owner = subjects(redis).start();
				awaitWorking(owner);
				List<String> keys = new ArrayList<>();
				List<CompletableFuture<String>> waiting = new ArrayList<>();
				for (int i = 0; i < 3; i++) {
					String key = "killed-" + this.run.round() + "-" + i;
					keys.add(key);
					hold(owner, key, Duration.ZERO, LEASE, Duration.ofMinutes(1));
					waiting.add(section(other, key, LONG, LEASE, Duration.ZERO));
				}
				pass(LEASE.dividedBy(3)); // into the next lease, which counts from the
											// kill
				long killed = System.nanoTime();
				Stopwatch watch = Stopwatch.start();
				this.run.inject(Fault.of("killed", owner::kill));
				for (int i = 0; i < keys.size(); i++) {
					String told = result(waiting.get(i));
					Entry entered = find(entry(Journal.ENTER, keys.get(i), other));
					Duration after = between(killed, (entered != null) ? entered.nanos() : System.nanoTime(), watch);
					boolean inTime = entered != null
							&& after.compareTo(LEASE.plusSeconds(1).plus(SLACK.dividedBy(2))) <= 0;
					this.run.require(inTime, keys.get(i) + ": " + told + text(entered, after));
					if (entered != null) {
						this.run.latency(after);
					}
				}
				this.run.operations(2L * keys.size());
			}
			judge(redis, true);
		}
	}

	/**
	 * An instance is killed while it is the first to wait for a lock, so that the lock is
	 * granted to nobody who lives.
	 */
	public void instanceKilledWhileItWaits() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			Instance owner = subjects(redis).start();
			Instance next = others(redis).start();
			awaitWorking(owner);
			awaitWorking(next);
			while (this.run.next()) {
				Instance first = others(redis).start();
				awaitWorking(first);
				String key = "waiting-" + this.run.round();
				CompletableFuture<String> held = hold(owner, key, Duration.ZERO, LONG, UNTIL_TOLD);
				section(first, key, LONG.plus(LONG), LEASE, Duration.ZERO);
				awaitQueued(redis, key, 1);
				CompletableFuture<String> served = section(next, key, LONG.plus(LONG), LEASE, Duration.ZERO);
				awaitQueued(redis, key, 2);
				this.run.inject(Fault.of("killed", first::kill));
				owner.get("leave", key);
				result(held);
				Entry left = await("release", entry(Journal.LEAVE, key, owner));
				String told = result(served);
				Entry entered = find(entry(Journal.ENTER, key, next));
				Duration after = Duration.ofNanos((entered != null) ? entered.nanos() - left.nanos() : Long.MAX_VALUE);
				this.run.require(entered != null && after.compareTo(GRANT.plus(SLACK)) <= 0,
						key + ": " + told + text(entered, after));
				if (entered != null) {
					this.run.latency(after);
				}
				this.run.operations(2);
			}
			judge(redis, true);
		}
	}

	/**
	 * An instance is killed while it holds a lock and more of its callers wait for it,
	 * all of them before one of another instance. Each that is waited for in vain costs
	 * that one a grant.
	 */
	public void instanceKilledWhileItHoldsAndWaits() {
		int callers = 3;
		try (StandaloneRedis redis = RedisServers.standalone()) {
			Instance next = subjects(redis).start();
			awaitWorking(next);
			while (this.run.next()) {
				Instance owner = others(redis).start();
				awaitWorking(owner);
				String key = "both-" + this.run.round();
				hold(owner, key, Duration.ZERO, LEASE, UNTIL_TOLD);
				for (int i = 0; i < callers; i++) {
					section(owner, key, LONG, LEASE, Duration.ZERO);
				}
				awaitQueued(redis, key, callers);
				CompletableFuture<String> served = section(next, key, LONG, LEASE, Duration.ZERO);
				awaitQueued(redis, key, callers + 1);
				long killed = System.nanoTime();
				Stopwatch watch = Stopwatch.start();
				this.run.inject(Fault.of("killed", owner::kill));
				String told = result(served);
				Entry entered = find(entry(Journal.ENTER, key, next));
				Duration after = between(killed, (entered != null) ? entered.nanos() : System.nanoTime(), watch);
				this.run.require(entered != null && after.compareTo(LEASE.plusSeconds(1).plus(SLACK)) <= 0,
						key + ": " + told + text(entered, after));
				if (entered != null) {
					this.run.latency(after);
				}
				this.run.operations(1 + callers);
			}
			judge(redis, true);
		}
	}

	private static void awaitQueued(StandaloneRedis redis, String key, long places) {
		Awaitility.await("those that wait for " + key)
			.atMost(LONG)
			.pollInterval(Duration.ofMillis(10))
			.until(() -> queued(redis, key, "q1") + queued(redis, key, "w1"), (size) -> size == places);
	}

	/**
	 * Those that wait for a lock that one has alone, or for a share of one.
	 */
	private static long queued(StandaloneRedis redis, String key, String queue) {
		return (Long) redis.primary().command("ZCARD", "ge:lock:{orders:" + key + "}:" + queue);
	}

	/**
	 * Redis is killed under load and comes back with nothing.
	 * @param outage how long it is away
	 */
	public void redisRestartedWithoutItsData(Duration outage) {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			List<Instance> instances = subjects(redis).start(2);
			RedisNode node = redis.primary();
			Fault restart = Fault.of("killed", node::kill, node::start);
			while (this.run.next()) {
				String key = "restart-" + this.run.round();
				List<CompletableFuture<String>> load = load(instances, key, UNTIL_TOLD);
				await(Journal.ENTER, key, instances.get(0));
				await(Journal.ENTER, key, instances.get(1));
				this.run.inject(restart);
				long down = System.nanoTime();
				pass(outage);
				this.run.heal(restart);
				long up = System.nanoTime();
				served(key, up, instances.get(0));
				served(key, up, instances.get(1));
				this.run.note("outage ms", Duration.ofNanos(up - down).toMillis());
				pass(LEASE);
				instances.forEach((instance) -> instance.get("enough", key));
				tally(load);
			}
			judge(redis, false);
		}
	}

	/**
	 * Redis hangs until nobody waits for its answers any more, then works off what has
	 * arrived; the same keys are asked for again.
	 */
	public void redisHungAndResumedWithTheSameKeys() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			List<Instance> instances = subjectAnd(1, redis);
			Instance asker = instances.get(0);
			Instance other = instances.get(1);
			RedisNode node = redis.primary();
			Fault hang = Fault.of("hung", node::pause, node::resume);
			Duration lease = Duration.ofSeconds(30);
			while (this.run.next()) {
				// The connection works and no breaker is open
				awaitWorking(asker);
				awaitWorking(other);
				this.run.inject(hang);
				List<String> keys = new ArrayList<>();
				List<CompletableFuture<String>> unanswered = new ArrayList<>();
				for (int i = 0; i < 3; i++) {
					keys.add("hung-" + this.run.round() + "-" + i);
					unanswered.add(section(asker, keys.get(i), Duration.ZERO, lease, Duration.ZERO));
				}
				unanswered
					.forEach((call) -> this.run.require(!result(call).equals("done"), "Acquired while Redis hung"));
				this.run.heal(hang);
				Stopwatch resumed = Stopwatch.start();
				for (String key : keys) {
					retryUntilDone(other, key, lease);
					retryUntilDone(asker, key, lease);
					Duration after = resumed.elapsed();
					this.run.latency(after);
					this.run.operations(3);
					if (after.compareTo(FREE_AGAIN) > 0) {
						this.run.violation(key + ": not free " + after + " after Redis was back");
						break;
					}
				}
			}
			judge(redis, true);
		}
	}

	private void retryUntilDone(Instance instance, String key, Duration lease) {
		Stopwatch watch = Stopwatch.start();
		while (watch.elapsed().compareTo(FREE_AGAIN) < 0) {
			if (result(section(instance, key, Duration.ofMillis(500), lease, Duration.ZERO)).equals("done")) {
				return;
			}
		}
	}

	/**
	 * Pauses an instance, but not while it keeps others from the counter: that is a lock
	 * of ours, which no lease ends.
	 */
	private void pause(Instance instance, String key) {
		FencedCounter counter = LockOperations.counter(directory(), key);
		instance.pause();
		while (counter.isBusy()) {
			instance.resume();
			instance.pause();
		}
	}

	/**
	 * Pauses an instance while it holds the lock, which it takes again and again as long
	 * as there is a load.
	 */
	private void pauseWithin(Instance instance, String key, List<CompletableFuture<String>> load) {
		Predicate<Entry> entered = entry(Journal.ENTER, key, instance);
		Predicate<Entry> change = entered.or(entry(Journal.LEAVE, key, instance)).or(entry(LOST, key, instance));
		pause(instance, key);
		while (!isLast(Journal.ENTER, change) && !isOver(load)) {
			instance.resume();
			awaitSection(key, entered, load);
			pause(instance, key);
		}
	}

	/**
	 * Waits for the next section of a key, or until there is none any more.
	 */
	private void awaitSection(String key, Predicate<Entry> whose, List<CompletableFuture<String>> load) {
		long from = System.nanoTime();
		Predicate<Entry> entered = (entry) -> entry.kind().equals(Journal.ENTER) && entry.field(0).equals(key)
				&& entry.nanos() - from > 0;
		Awaitility.await("next section of " + key)
			.atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(10))
			.until(() -> find(entered.and(whose)) != null || isOver(load));
	}

	private static boolean isOver(List<CompletableFuture<String>> load) {
		return load.stream().anyMatch(CompletableFuture::isDone);
	}

	private boolean isLast(String kind, Predicate<Entry> sought) {
		List<Entry> found = history().entries().stream().filter(sought).toList();
		return !found.isEmpty() && found.get(found.size() - 1).kind().equals(kind);
	}

	private void awaitWorking(Instance instance) {
		Awaitility.await("working " + instance)
			.atMost(Duration.ofSeconds(60))
			.until(() -> result(section(instance, "working-" + instance.name(), Duration.ZERO, LEASE, Duration.ZERO)),
					"done"::equals);
	}

	/**
	 * The server is lost, and a replica that has not seen the last locks takes its
	 * address.
	 */
	public void failoverToALaggingReplica() {
		while (this.run.next()) {
			try (StandaloneRedis redis = RedisServers.standaloneWithReplicas(1)) {
				List<Instance> instances = subjectAnd(1, redis);
				Instance later = instances.get(0);
				Instance owner = instances.get(1);
				RedisNode primary = redis.primary();
				RedisNode replica = redis.replicas().get(0);
				String key = "failover-" + this.run.round();
				awaitWorking(later);
				retryUntilDone(owner, key, LEASE);
				primary.awaitReplicated(1);
				replica.command("REPLICAOF", "NO", "ONE"); // sees nothing from here on
				CompletableFuture<String> first = hold(owner, key, Duration.ZERO, LEASE, LEASE.multipliedBy(2));
				this.run.injected();
				primary.kill();
				long lost = System.nanoTime();
				primary.start();
				primary.command("REPLICAOF", replica.host(), String.valueOf(replica.port()));
				Awaitility.await("copy of the lagging replica")
					.until(() -> "up".equals(primary.info("replication", "master_link_status")));
				primary.command("REPLICAOF", "NO", "ONE");
				retryUntilDone(later, key, LEASE);
				this.run.require(find(entry(Journal.ENTER, key, later)) != null,
						key + ": nobody got the lock after the failover");
				this.run.latency(since(lost));
				result(first);
				this.run.operations(3);
				judge(redis, false);
			}
		}
	}

	/**
	 * The connection for messages is cut just when the lock is released.
	 */
	public void onlyThePushConnectionCut() {
		onlyThePushConnectionCut(
				(redis, key) -> !redis.primary().command("KEYS", "*" + key + "*:q*").equals(List.of()));
	}

	/**
	 * As {@link #onlyThePushConnectionCut()}, of an implementation without our queue.
	 * @param waiting whether somebody waits for a key, as far as can be seen in Redis
	 */
	public void onlyThePushConnectionCut(BiPredicate<StandaloneRedis, String> waiting) {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			List<Instance> instances = subjectAnd(1, redis);
			Instance waiter = instances.get(0);
			Instance owner = instances.get(1);
			Duration lease = Duration.ofSeconds(10);
			awaitWorking(owner);
			awaitWorking(waiter);
			// Until it is told to leave, which is as soon as the other one waits
			Duration work = Duration.ofSeconds(4);
			Fault cut = Fault.of("cut", () -> redis.primary().command("CLIENT", "KILL", "TYPE", "pubsub"));
			while (this.run.next()) {
				for (int i = 0; i < 3; i++) {
					String key = "push-" + this.run.round() + "-" + i;
					CompletableFuture<String> first = hold(owner, key, Duration.ZERO, lease, work);
					CompletableFuture<String> second = section(waiter, key, work.plus(work), lease, Duration.ZERO);
					Awaitility.await("the waiter's place in the queue")
						.pollInterval(Duration.ofMillis(10))
						.until(() -> waiting.test(redis, key) || first.isDone());
					// Not every implementation waits as soon as that is seen
					pass(Duration.ofMillis(100));
					this.run.inject(cut);
					owner.call("leave", key);
					// Again and again, so that no new connection hears of the release
					Stopwatch watch = Stopwatch.start();
					while (!first.isDone()) {
						watch = Stopwatch.start();
						this.run.inject(cut);
					}
					result(first);
					String told = result(second);
					Entry left = await("release", entry(Journal.LEAVE, key, owner));
					Entry entered = find(entry(Journal.ENTER, key, waiter));
					Duration after = (entered != null) ? between(left.nanos(), entered.nanos(), watch) : Duration.ZERO;
					this.run.require(entered != null && after.compareTo(Duration.ofSeconds(1).plus(SLACK)) <= 0,
							key + ": " + told + text(entered, after));
					if (entered != null) {
						this.run.latency(after);
					}
					this.run.operations(2);
				}
			}
			judge(redis, true);
		}
	}

	/**
	 * A holder is cut off from Redis, with all its locks, until another instance holds
	 * them.
	 */
	public void holderCutOff() {
		int locks = 10;
		try (StandaloneRedis redis = RedisServers.standalone(); TcpProxy proxy = new TcpProxy(redis.primary())) {
			Instance owner = subjects("spring.data.redis.host=" + proxy.host(),
					"spring.data.redis.port=" + proxy.port())
				.start();
			Instance other = others(redis).start();
			awaitWorking(other);
			Fault cut = Fault.of("cut off", proxy::hang, proxy::resume);
			while (this.run.next()) {
				awaitWorking(owner);
				List<CompletableFuture<String>> held = new ArrayList<>();
				List<CompletableFuture<String>> taken = new ArrayList<>();
				for (int i = 0; i < locks; i++) {
					held.add(hold(owner, "cut-" + this.run.round() + "-" + i, Duration.ZERO, LEASE, LONG));
				}
				this.run.inject(cut);
				long from = System.nanoTime();
				for (int i = 0; i < locks; i++) {
					taken.add(section(other, "cut-" + this.run.round() + "-" + i, LONG, LONG, Duration.ofMillis(200)));
				}
				for (CompletableFuture<String> section : taken) {
					String told = result(section);
					this.run.require(told.equals("done"), "The other instance was told: " + told);
				}
				this.run.latency(since(from));
				this.run.heal(cut);
				for (CompletableFuture<String> section : held) {
					String told = result(section);
					this.run.require(told.equals("lost"), "The instance that was cut off was told: " + told);
				}
				this.run.operations(2L * locks);
			}
			judge(redis, true);
		}
	}

	/**
	 * Every command of an instance arrives half a second late.
	 */
	public void halfASecondOfLatency() {
		Duration lease = Duration.ofSeconds(4);
		try (StandaloneRedis redis = RedisServers.standalone(); TcpProxy proxy = new TcpProxy(redis.primary())) {
			Instance slow = subjects("spring.data.redis.host=" + proxy.host(), "spring.data.redis.port=" + proxy.port(),
					"ge.redis.outage.command-timeout=2s", "spring.data.redis.timeout=10s")
				.start();
			Instance other = others(redis).start();
			awaitWorking(other);
			Fault latency = Fault.of("latency", () -> proxy.latency(Duration.ofMillis(500)),
					() -> proxy.latency(Duration.ZERO));
			while (this.run.next()) {
				String key = "latency-" + this.run.round();
				awaitWorking(slow);
				this.run.inject(latency);
				long asked = System.nanoTime();
				CompletableFuture<String> kept = hold(slow, key, Duration.ZERO, lease, lease.plusMillis(500));
				this.run.latency(Duration.ofNanos(await(Journal.ENTER, key, slow).nanos() - asked));
				CompletableFuture<String> refused = other.call("sections", key, "0", millis(lease), "0", "2000");
				String told = result(kept);
				this.run.require(told.equals("done"), key + ": the slow instance was told: " + told);
				tally(List.of(refused));
				this.run.operations(1);
				this.run.heal(latency);
			}
			judge(redis, true);
		}
	}

	/**
	 * The wall clock of one instance is five minutes ahead.
	 */
	public void clockOfOneInstanceFiveMinutesAhead() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			this.run.injected();
			Instance ahead = subjects(redis).clockAhead(Duration.ofMinutes(5)).start();
			Instance other = subjects(redis).start();
			while (this.run.next()) {
				String key = "clock-" + this.run.round();
				List<Instance> instances = List.of(ahead, other);
				List<CompletableFuture<String>> load = load(instances, key, UNTIL_TOLD);
				await(Journal.ENTER, key, ahead);
				await(Journal.ENTER, key, other);
				pass(LEASE);
				instances.forEach((instance) -> instance.get("enough", key));
				tally(load);
			}
			judge(redis, true);
		}
	}

	/**
	 * All data is deleted again and again under load.
	 */
	public void flushAllWhileRunning() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			List<Instance> instances = subjects(redis).start(2);
			Fault flush = Fault.of("FLUSHALL", () -> redis.primary().command("FLUSHALL", "SYNC"));
			while (this.run.next()) {
				String key = "flush-" + this.run.round();
				List<CompletableFuture<String>> load = load(instances, key, Duration.ofMillis(3500));
				awaitServed(instances, key);
				while (!load.get(0).isDone()) {
					this.run.inject(flush);
					pass(Duration.ofMillis(100 + this.run.random().nextInt(200)));
				}
				tally(load);
			}
			judge(redis, false);
		}
	}

	/**
	 * Redis forgets the scripts again and again under load.
	 */
	public void scriptFlushWhileRunning() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			List<Instance> instances = subjectAnd(1, redis);
			Fault flush = Fault.of("SCRIPT FLUSH", () -> redis.primary().command("SCRIPT", "FLUSH"));
			while (this.run.next()) {
				String key = "script-" + this.run.round();
				List<CompletableFuture<String>> load = load(instances, key, Duration.ofMillis(3000));
				do {
					this.run.inject(flush);
					pass(Duration.ofMillis(20 + this.run.random().nextInt(50)));
				}
				while (!load.get(0).isDone());
				long failed = tally(load);
				this.run.require(failed == 0, key + ": " + failed + " calls failed");
			}
			judge(redis, true);
		}
	}

	/**
	 * Instances are paused beyond their leases and killed, in turn and at random moments,
	 * under load.
	 */
	public void instancesPausedAndKilledAtRandom() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			List<Instance> instances = new ArrayList<>(subjectAnd(2, redis));
			while (this.run.next()) {
				String key = "random-" + this.run.round();
				Duration duration = LEASE.multipliedBy(5);
				List<CompletableFuture<String>> load = load(instances, key, Duration.ofMillis(200), duration);
				pass(Duration.ofMillis(300 + this.run.random().nextInt(300)));
				Instance holder = awaitHolder(instances, key);
				Fault pause = Fault.of("paused", () -> pauseWithin(holder, key, load), holder::resume);
				this.run.inject(pause);
				awaitSection(key, (entry) -> !entry.process().equals(holder.name()), load);
				pass(Duration.ofMillis(this.run.random().nextInt(300)));
				this.run.heal(pause);
				// One fault after the other: the next one may cost a lease as well
				awaitSection(key, (entry) -> true, load);
				int place = instances.indexOf(holder);
				int killed = (place + 1 + this.run.random().nextInt(instances.size() - 1)) % instances.size();
				this.run.inject(Fault.of("killed", instances.get(killed)::kill));
				instances.set(killed, others(redis).start());
				tally(load);
				longestGap(key);
			}
			judge(redis, true);
		}
	}

	/**
	 * Waits until both instances are served, or one if the other has to wait for long:
	 * not every implementation serves all.
	 */
	private void awaitServed(List<Instance> instances, String key) {
		long from = System.nanoTime();
		Predicate<Entry> first = entry(Journal.ENTER, key, instances.get(0));
		Predicate<Entry> second = entry(Journal.ENTER, key, instances.get(1));
		await("somebody served", first.or(second));
		Awaitility.await("both served or one for long")
			.pollInterval(Duration.ofMillis(40))
			.until(() -> (find(first) != null && find(second) != null) || since(from).compareTo(LEASE) > 0);
	}

	/**
	 * The first instance once it is served, or whoever is if it has to wait for long.
	 */
	private Instance awaitHolder(List<Instance> instances, String key) {
		long from = System.nanoTime();
		Entry entered = await("next holder",
				(entry) -> entry.kind().equals(Journal.ENTER) && entry.field(0).equals(key) && entry.nanos() - from > 0
						&& (entry.process().equals(instances.get(0).name()) || entry.nanos() - from > LEASE.toNanos()));
		return instances.stream()
			.filter((instance) -> instance.name().equals(entered.process()))
			.findFirst()
			.orElseThrow();
	}

	/** How long nobody was served, though somebody wanted to. */
	private void longestGap(String key) {
		long last = 0;
		for (Entry entry : history().entries(Journal.ENTER)) {
			if (entry.field(0).equals(key)) {
				if (last != 0) {
					Duration gap = Duration.ofNanos(entry.nanos() - last);
					this.run.latency(gap);
					this.run.require(gap.compareTo(LEASE.plusSeconds(1).plus(SLACK)) <= 0,
							key + ": nobody was served for " + gap);
				}
				last = entry.nanos();
			}
		}
	}

	/**
	 * Begins a section and waits until it was entered; a call that fails since the
	 * machine is busy is repeated.
	 */
	private CompletableFuture<String> hold(Instance instance, String key, Duration wait, Duration lease,
			Duration work) {
		long from = System.nanoTime();
		Predicate<Entry> entered = entry(Journal.ENTER, key, instance).and((entry) -> entry.nanos() - from > 0);
		CompletableFuture<String> call = section(instance, key, wait, lease, work);
		for (int attempt = 1; find(entered) == null; attempt++) {
			if (call.isDone() && find(entered) == null) {
				if (attempt > 500) {
					throw new IllegalStateException(instance + " does not get " + key + ": " + result(call));
				}
				call = section(instance, key, wait, lease, work);
			}
			pass(Duration.ofMillis(20));
		}
		return call;
	}

	private List<CompletableFuture<String>> load(List<Instance> instances, String key, Duration duration) {
		return load(instances, key, Duration.ofMillis(20), duration);
	}

	private List<CompletableFuture<String>> load(List<Instance> instances, String key, Duration work,
			Duration duration) {
		othersFirst(instances).forEach(this::awaitWorking);
		List<CompletableFuture<String>> load = new ArrayList<>();
		for (Instance instance : instances) {
			for (int i = 0; i < 2; i++) {
				load.add(instance.call("sections", key, "1000", millis(LEASE), millis(work), millis(duration)));
			}
		}
		return load;
	}

	/**
	 * Waits for the load and counts it.
	 * @return how many calls failed
	 */
	private long tally(List<CompletableFuture<String>> load) {
		long failed = 0;
		for (CompletableFuture<String> call : load) {
			String[] counts = result(call).split(" ");
			if (counts.length == 4) {
				this.run.operations(Long.parseLong(counts[0]) + Long.parseLong(counts[1]) + Long.parseLong(counts[2])
						+ Long.parseLong(counts[3]));
				this.run.note("lost", Long.parseLong(counts[1]));
				this.run.note("failed", Long.parseLong(counts[3]));
				failed += Long.parseLong(counts[3]);
			}
		}
		return failed;
	}

	private void served(String key, long from, Instance instance) {
		this.run.latency(Duration.ofNanos(awaitNext(Journal.ENTER, key, instance, from).nanos() - from));
	}

	private Entry awaitNext(String kind, String key, Instance instance, long from) {
		return await("next " + kind + " of " + instance,
				(entry) -> entry(kind, key, instance).test(entry) && entry.nanos() - from > 0);
	}

	/**
	 * Judges all rounds.
	 * @param exclusive whether Redis has kept its data, so that two valid holders are a
	 * violation
	 */
	private void judge(RedisFixture redis, boolean exclusive) {
		History history = history();
		this.run.violations(history.fencingOrder());
		this.run.violations(history.staleWrites());
		if (exclusive) {
			this.run.violations(history.validOverlaps());
		}
		else {
			this.run.note("two valid holders (Redis lost data)", history.validOverlaps().size());
		}
	}

	private Entry await(String kind, String key, Instance instance) {
		return await(kind + " of " + instance, entry(kind, key, instance));
	}

	private static Predicate<Entry> entry(String kind, String key, Instance instance) {
		return (entry) -> entry.kind().equals(kind) && entry.field(0).equals(key)
				&& entry.process().equals(instance.name());
	}

	private static String text(@Nullable Entry entered, Duration after) {
		return (entered != null) ? ", served after " + after : ", never served";
	}

	private static CompletableFuture<String> section(Instance instance, String key, Duration wait, Duration lease,
			Duration work) {
		return instance.call("section", key, millis(wait), millis(lease), millis(work));
	}

	private static String millis(Duration duration) {
		return String.valueOf(duration.toMillis());
	}

}
