// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.ge.redis.OutageCause;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.LockAcquireEvent;
import io.ge.redis.lock.LockContext;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockInterruptedException;
import io.ge.redis.lock.LockLostEvent;
import io.ge.redis.lock.LockMode;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.lock.OnLost;
import io.ge.redis.test.ClusterRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.SentinelRedis;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.TcpProxy;
import io.ge.redis.test.Wide;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks of which replicas must know before their holders begin.
 */
class LockReplicationIntegrationTests {

	private static final LockOptions WAITING = LockOptions.defaults().waitTime(Duration.ofSeconds(20));

	/** More than a busy machine needs, so that who waits for it to pass is found. */
	private static final Duration LONG = Duration.ofSeconds(9);

	private static final Duration SHORT = Duration.ofMillis(500);

	/** A busy machine is no outage. */
	private static final String PATIENT = "ge.redis.outage.command-timeout=5s";

	private static final Duration SOON = Duration.ofSeconds(30);

	private final List<AutoCloseable> opened = new ArrayList<>();

	@AfterEach
	void close() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	private <T extends AutoCloseable> T open(T resource) {
		this.opened.add(resource);
		return resource;
	}

	private StandaloneRedis replicated() {
		return open(RedisServers.standaloneWithReplicas(2));
	}

	/**
	 * Starts an instance that has taken a lock before, so that connections and classes
	 * are there.
	 */
	private LockApplication start(RedisFixture redis, int replicas, Duration syncTimeout, Class<?>... beans) {
		LockApplication application = open(
				LockApplication.start(redis.properties(), new String[] { PATIENT, "ge.redis.lock.replicas=" + replicas,
						"ge.redis.lock.sync-timeout=" + syncTimeout.toMillis() + "ms" }, beans));
		lockSoon(application, "warm", WAITING).close();
		return application;
	}

	private static LockHandle lockSoon(LockApplication application, Object key, LockOptions options) {
		return Awaitility.await()
			.atMost(SOON)
			.ignoreExceptionsInstanceOf(RedisUnavailableException.class)
			.until(() -> application.locks().tryLock("orders", key, options), Optional::isPresent)
			.orElseThrow();
	}

	private static ThrowableAssertAlternative<RedisUnavailableException> assertTooFew(Supplier<?> attempt) {
		return assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(attempt::get)
			.matches((ex) -> ex.reason() == OutageCause.REPLICAS);
	}

	/**
	 * Each attempt must be refused. How many replicas there were is told unless the
	 * server takes longer than a round trip, as it may on a busy machine.
	 */
	private static void assertTellsHowMany(Supplier<?> attempt, String... told) {
		Awaitility.await()
			.atMost(SOON)
			.untilAsserted(() -> assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(attempt::get)
				.satisfies((ex) -> assertThat(ex.getMessage()).contains(told)));
	}

	@Test
	void hungReplicaDelaysNobodyIfTheOtherIsEnough() {
		StandaloneRedis redis = replicated();
		LockApplication application = start(redis, 1, LONG);
		redis.replicas().get(0).pause();
		for (int i = 0; i < 10; i++) {
			Stopwatch watch = Stopwatch.start();
			application.locks().lock("orders", i, (i % 2 == 0) ? WAITING : LockOptions.defaults()).close();
			assertThat(watch.elapsed()).isLessThan(LONG.dividedBy(3));
		}
	}

	@Test
	void hungReplicaOfTwoThatAreWantedRefusesTheLockInTimeAndDelaysNoRelease() {
		StandaloneRedis redis = replicated();
		LockApplication application = start(redis, 2, SHORT);
		LockHandle held = lockSoon(application, "held", WAITING);
		redis.replicas().get(1).pause();
		long waits = redis.primary().commandCalls("wait");
		held.close();
		assertThat(redis.primary().commandCalls("wait")).isEqualTo(waits);
		for (LockOptions options : List.of(WAITING, LockOptions.defaults())) {
			long started = System.nanoTime();
			Stopwatch watch = Stopwatch.start();
			assertTooFew(() -> application.locks().lock("orders", 42, options)).withMessageContaining("'orders'")
				.withMessageContaining("wants 2 replicas, and ")
				.withMessageContaining("ge.redis.lock.locks.orders.*")
				.satisfies((refusal) -> assertThat(refusal.getMessage()).doesNotContainPattern("\\b42\\b"));
			assertThat(System.nanoTime() - started).isGreaterThanOrEqualTo(SHORT.toNanos());
			assertThat(watch.elapsed()).isLessThan(LONG.dividedBy(3));
			awaitFree(redis, "orders:42");
		}
		assertThat(application.events(LockAcquireEvent.class)).extracting(LockAcquireEvent::result)
			.endsWith("error", "error");
		assertTellsHowMany(() -> application.locks().lock("orders", 42, WAITING),
				"wants 2 replicas, and 1 had acknowledged it after 500 ms, while 2 are connected");
		assertThat(application.events(LockLostEvent.class)).isEmpty();
		assertThat(application.waiting()).isZero();
		redis.replicas().get(1).resume();
		lockSoon(application, 42, WAITING).close();
	}

	@Test
	void acknowledgedLockSurvivesPromotionOfTheReplica() {
		StandaloneRedis redis = open(RedisServers.standaloneWithReplicas(1));
		LockApplication before = start(redis, 1, LONG);
		LockHandle held = before.locks().lock("orders", 42, WAITING);
		LockApplication after = afterPromotion(redis);
		assertThat(held.isValid()).isTrue();
		assertThat(after.locks().tryLock("orders", 42)).isEmpty();
	}

	@Test
	@Wide
	void lockThatNoReplicaKnowsIsLostWithThePrimaryUnlessReplicasAreWanted() {
		StandaloneRedis redis = open(RedisServers.standaloneWithReplicas(1));
		TcpProxy wire = open(new TcpProxy(redis.primary()));
		RedisNode replica = redis.replicas().get(0);
		replica.command("REPLICAOF", wire.host(), String.valueOf(wire.port()));
		Awaitility.await().atMost(SOON).until(() -> "up".equals(replica.info("replication", "master_link_status")));
		LockApplication before = start(redis, 0, SHORT);
		wire.hang();
		assertTooFew(() -> before.locks().lock("orders", 41, WAITING.replicas(1)));
		LockHandle held = before.locks().lock("orders", 42, WAITING);
		LockApplication after = afterPromotion(redis);
		assertThat(after.locks().tryLock("orders", 42)).isPresent();
		assertThat(held.isValid()).as("the first holder knows nothing of it").isTrue();
	}

	@Test
	@Wide
	void sharesAreConfirmedOrGivenUpLikeAnyLock() {
		StandaloneRedis redis = replicated();
		LockApplication application = start(redis, 2, SHORT);
		LockOptions reading = WAITING.mode(LockMode.READ);
		LockOptions patient = reading.syncTimeout(LONG);
		LockHandle one = application.locks().lock("account", 42, patient);
		LockHandle two = application.locks().lock("account", 42, patient);
		CompletableFuture<LockHandle> writer = application
			.async(() -> application.locks().lock("account", 42, patient.mode(LockMode.WRITE)));
		Awaitility.await().until(() -> application.waiting() == 1);
		one.close();
		two.close();
		LockHandle granted = writer.orTimeout(10, TimeUnit.SECONDS).join();
		assertThat(granted.isValid()).isTrue();
		granted.close();
		redis.replicas().get(1).pause();
		for (LockOptions options : List.of(reading, LockOptions.defaults().permits(3))) {
			String name = (options.permits() != null) ? "slots" : "account";
			long started = System.nanoTime();
			assertTooFew(() -> application.locks().lock(name, 42, options)).withMessageContaining("'" + name + "'")
				.withMessageContaining("wants 2 replicas");
			assertThat(System.nanoTime() - started).isGreaterThanOrEqualTo(SHORT.toNanos());
			awaitFree(redis, name + ":42");
		}
		assertThat(application.events(LockLostEvent.class)).isEmpty();
		assertThat(application.waiting()).isZero();
	}

	/**
	 * Waits until a lock was given up, which is long before its lease ends.
	 */
	private static void awaitFree(StandaloneRedis redis, String entity) {
		Awaitility.await()
			.until(() -> Long.valueOf(0).equals(redis.primary().command("EXISTS", "ge:lock:{" + entity + "}")));
	}

	private LockApplication afterPromotion(StandaloneRedis redis) {
		redis.primary().kill();
		RedisNode replica = redis.replicas().get(0);
		replica.promote();
		return open(LockApplication.start(
				new String[] { "spring.data.redis.host=" + replica.host(), "spring.data.redis.port=" + replica.port() },
				new String[] { PATIENT }));
	}

	@Test
	@Wide
	void callersOfManyLocksAreDelayedByTheTimeoutOnceAndNotByEachOther() {
		StandaloneRedis redis = replicated();
		LockApplication application = start(redis, 2, SHORT);
		redis.replicas().get(1).pause();
		// A round without a pause of the machine is enough: who comes second and waits
		// for the first takes twice the time in every one
		Awaitility.await()
			.atMost(SOON)
			.untilAsserted(
					() -> assertThat(longestRefusal(application)).isLessThan(SHORT.multipliedBy(3).dividedBy(2)));
	}

	private static Duration longestRefusal(LockApplication application) {
		List<CompletableFuture<Duration>> attempts = new ArrayList<>();
		for (int i = 0; i < 16; i++) {
			int key = i;
			attempts.add(application.async(() -> {
				// One after the other, so that each comes while others wait
				Awaitility.await()
					.pollDelay(Duration.ofMillis(1 + 20L * key))
					.pollInterval(Duration.ofMillis(1))
					.until(() -> true);
				Stopwatch watch = Stopwatch.start();
				assertTooFew(() -> application.locks()
					.lock("orders", key, (key % 2 == 0) ? WAITING : LockOptions.defaults()));
				return watch.elapsed();
			}));
		}
		return attempts.stream()
			.map((attempt) -> attempt.orTimeout(20, TimeUnit.SECONDS).join())
			.max(Duration::compareTo)
			.orElseThrow();
	}

	@Test
	@Wide
	void callersOfManyLocksAreServedAtOnceByTheReplicaThatAnswers() {
		StandaloneRedis redis = replicated();
		LockApplication application = start(redis, 1, LONG);
		redis.replicas().get(1).pause();
		// Keeps a connection of its own busy, which is not that of the others
		CompletableFuture<?> two = application
			.async(() -> assertTooFew(() -> application.locks().lock("orders", "two", WAITING.replicas(2))));
		awaitBlocked(redis.primary(), 1);
		List<CompletableFuture<Duration>> attempts = new ArrayList<>();
		for (int i = 0; i < 16; i++) {
			int key = i;
			attempts.add(application.async(() -> {
				Stopwatch watch = Stopwatch.start();
				application.locks().lock("orders", key, WAITING).close();
				return watch.elapsed();
			}));
		}
		for (CompletableFuture<Duration> attempt : attempts) {
			assertThat(attempt.orTimeout(20, TimeUnit.SECONDS).join()).isLessThan(LONG.dividedBy(3));
		}
		assertThat(two).isNotDone();
		two.orTimeout(30, TimeUnit.SECONDS).join();
	}

	private static void awaitBlocked(RedisNode server, int clients) {
		Awaitility.await()
			.pollInterval(Duration.ofMillis(5))
			.until(() -> String.valueOf(clients).equals(server.info("clients", "blocked_clients")));
	}

	@Test
	@Wide
	void waitIsSentOnNoConnectionThatOthersUse() {
		StandaloneRedis redis = replicated();
		LockApplication application = start(redis, 0, LONG);
		redis.replicas().get(1).pause();
		CompletableFuture<?> two = application
			.async(() -> assertTooFew(() -> application.locks().lock("orders", "two", WAITING.replicas(2))));
		awaitBlocked(redis.primary(), 1);
		Stopwatch watch = Stopwatch.start();
		application.locks().lock("orders", "none", WAITING).close();
		assertThat(watch.elapsed()).isLessThan(LONG.dividedBy(3));
		List<String> guards = String.valueOf(redis.primary().command("CLIENT", "LIST"))
			.lines()
			.filter((line) -> line.contains("-guards "))
			.toList();
		assertThat(guards).filteredOn((line) -> line.contains(" cmd=wait ")).hasSize(1);
		assertThat(guards).filteredOn((line) -> line.contains(" cmd=evalsha ")).isNotEmpty();
		assertThat(two).isNotDone();
		two.orTimeout(30, TimeUnit.SECONDS).join();
	}

	@Test
	void connectionForWaitingIsOpenedWhenItIsNeededAndClosedWithTheApplication() {
		StandaloneRedis redis = replicated();
		long none;
		try (LockApplication application = LockApplication.start(redis.properties(), new String[] { PATIENT })) {
			application.locks().lock("orders", 42, WAITING).close();
			none = connections(redis);
			application.locks().lock("orders", 42, WAITING.replicas(1).syncTimeout(LONG)).close();
			assertThat(connections(redis)).isEqualTo(none + 1);
			application.locks().lock("orders", 43, WAITING.replicas(1).syncTimeout(LONG)).close();
			assertThat(connections(redis)).isEqualTo(none + 1);
		}
		Awaitility.await().atMost(SOON).until(() -> connections(redis) == 0);
	}

	private static long connections(StandaloneRedis redis) {
		return String.valueOf(redis.primary().command("CLIENT", "LIST"))
			.lines()
			.filter((line) -> line.contains("-guards "))
			.count();
	}

	@Test
	void cycleCostsOneConfirmationAndCallersThatFollowEachOtherNoFurtherOne() {
		StandaloneRedis redis = replicated();
		LockApplication application = start(redis, 1, LONG);
		redis.configResetStat();
		int before = application.scripts();
		for (int i = 0; i < 10; i++) {
			application.locks().lock("orders", i, WAITING).close();
		}
		assertThat(application.scripts() - before).isEqualTo(30);
		assertThat(redis.commandCalls("evalsha")).isEqualTo(20);
		assertThat(redis.commandCalls("eval")).isEqualTo(10);
		assertThat(redis.commandCalls("wait")).isEqualTo(10);
		LockHandle held = application.locks().lock("orders", 42, WAITING);
		List<CompletableFuture<Void>> followers = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			followers.add(application.async(() -> {
				application.locks().lock("orders", 42, WAITING).close();
				return null;
			}));
		}
		Awaitility.await().until(() -> application.waiting() == 5);
		redis.configResetStat();
		long started = System.nanoTime();
		held.close();
		CompletableFuture.allOf(followers.toArray(CompletableFuture[]::new)).orTimeout(20, TimeUnit.SECONDS).join();
		// The release of the first tenure, and for each after it a confirmation and its
		// own release
		long waits = redis.commandCalls("wait");
		assertThat(waits).isLessThanOrEqualTo(2 + (System.nanoTime() - started) / LockLease.LONGEST_NANOS);
		assertThat(redis.commandCalls("evalsha")).isEqualTo(1 + waits);
		assertThat(redis.commandCalls("eval")).isEqualTo(waits);
	}

	@Test
	void tenureThatIsObtainedByAGrantIsConfirmedToo() {
		StandaloneRedis redis = replicated();
		LockApplication holder = start(redis, 0, LONG);
		LockApplication waiter = start(redis, 2, SHORT);
		LockHandle held = holder.locks().lock("orders", 42, WAITING);
		CompletableFuture<LockHandle> waiting = waiter.async(() -> waiter.locks().lock("orders", 42, WAITING));
		awaitQueued(redis);
		redis.replicas().get(0).pause();
		held.close();
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> waiting.orTimeout(10, TimeUnit.SECONDS).join())
			.havingCause()
			.isInstanceOf(RedisUnavailableException.class)
			.withMessageContaining("wants 2 replicas");
		holder.locks().lock("orders", 42, WAITING).close();
		redis.replicas().get(0).resume();
		lockSoon(waiter, 42, WAITING).close();
	}

	@Test
	void tenureThatComesBackWithTheReleaseIsConfirmedToo() {
		StandaloneRedis redis = replicated();
		LockApplication application = start(redis, 0, SHORT);
		LockHandle held = application.locks().lock("orders", 42, WAITING);
		CompletableFuture<LockHandle> waiting = application
			.async(() -> application.locks().lock("orders", 42, WAITING.replicas(2)));
		Awaitility.await().until(() -> application.waiting() == 1);
		redis.replicas().get(0).pause();
		held.close();
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> waiting.orTimeout(10, TimeUnit.SECONDS).join())
			.havingCause()
			.isInstanceOf(RedisUnavailableException.class)
			.withMessageContaining("wants 2 replicas");
		application.locks().lock("orders", 42, WAITING).close();
	}

	@Test
	@Wide
	void callersOfOneLockLearnTogetherThatThereAreTooFewReplicas() {
		StandaloneRedis redis = replicated();
		LockApplication application = start(redis, 2, SHORT);
		redis.replicas().get(0).pause();
		Stopwatch watch = Stopwatch.start();
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		for (int i = 0; i < 16; i++) {
			waiting.add(application.async(() -> application.locks().lock("orders", 42, WAITING)));
		}
		for (CompletableFuture<LockHandle> waiter : waiting) {
			assertThatExceptionOfType(CompletionException.class)
				.isThrownBy(() -> waiter.orTimeout(20, TimeUnit.SECONDS).join())
				.withCauseInstanceOf(RedisUnavailableException.class);
		}
		// One after the other they would take twice as long
		assertThat(watch.elapsed()).isLessThan(SHORT.multipliedBy(8));
		assertThat(application.waiting()).isZero();
	}

	@Test
	void callerThatGivesUpWhileReplicasAreWaitedForFreesTheLockAtOnce() throws InterruptedException {
		StandaloneRedis redis = replicated();
		LockApplication application = start(redis, 0, LONG);
		redis.replicas().get(0).pause();
		Stopwatch[] given = new Stopwatch[1];
		Thread caller = new Thread(() -> {
			assertThatExceptionOfType(LockInterruptedException.class)
				.isThrownBy(() -> application.locks().lock("orders", 42, WAITING.replicas(2)));
			given[0] = Stopwatch.start();
		});
		caller.start();
		awaitBlocked(redis.primary(), 1);
		Stopwatch watch = Stopwatch.start();
		caller.interrupt();
		caller.join(10_000);
		assertThat(given[0]).isNotNull();
		application.locks().lock("orders", 42, WAITING).close();
		assertThat(watch.elapsed()).isLessThan(LONG.dividedBy(3));
		assertThat(application.waiting()).isZero();
	}

	@Test
	@Wide
	void closingTheApplicationWhileReplicasAreWaitedForFreesTheLockAtOnce() {
		StandaloneRedis redis = replicated();
		LockApplication next = start(redis, 0, LONG);
		LockApplication closing = start(redis, 2, LONG);
		redis.replicas().get(0).pause();
		CompletableFuture<Optional<LockHandle>> waiting = closing
			.async(() -> closing.locks().tryLock("orders", 42, WAITING));
		awaitBlocked(redis.primary(), 1);
		CompletableFuture<LockHandle> successor = next.async(() -> next.locks().lock("orders", 42, WAITING));
		awaitQueued(redis);
		Stopwatch watch = Stopwatch.start();
		closing.close();
		successor.orTimeout(10, TimeUnit.SECONDS).join().close();
		assertThat(watch.elapsed()).isLessThan(LONG.dividedBy(3));
		assertThat(waiting.orTimeout(10, TimeUnit.SECONDS).join()).isEmpty();
	}

	@Test
	void confirmationCreatesNothingAfterARelease() {
		StandaloneRedis redis = replicated();
		LockApplication application = start(redis, 0, LONG);
		RedisLocks locks = new RedisLocks(application.backend());
		RedisLockKey key = locks.key("orders", List.of("42"));
		LockSettings settings = new LockSettings("orders", Duration.ZERO, Duration.ofSeconds(30), true,
				OutagePolicy.DENY, null, Duration.ZERO, OnLost.EVENT, 2, LONG, LockMode.EXCLUSIVE, 1);
		assertThat(locks.acquire(key, "h1", settings, false, locks.newBudget()).join().tokens()).isNotNull();
		locks.confirm(new LeaseRenewal(key, "h1", settings.leaseTime(), null), settings).join();
		locks.release(key, "h1", null, Duration.ZERO, Duration.ZERO, locks.newBudget()).join();
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> locks.confirm(new LeaseRenewal(key, "h1", settings.leaseTime(), null), settings).join())
			.havingCause()
			.isInstanceOf(RedisUnavailableException.class)
			.withMessageContaining("was lost before 2 replicas confirmed it");
		assertThat(redis.primary().command("EXISTS", "ge:lock:{orders:42}")).isEqualTo(0L);
	}

	@Test
	@Wide
	void serverWithoutReplicasRefusesWithAMessageThatSaysSo() {
		StandaloneRedis redis = open(RedisServers.standalone());
		LockApplication application = start(redis, 0, SHORT);
		assertTooFew(() -> application.locks().lock("orders", 42, WAITING.replicas(1)));
		assertTellsHowMany(() -> application.locks().lock("orders", 42, WAITING.replicas(1)),
				"wants 1 replica, and 0 had acknowledged it", "the server has no replica");
		application.locks().lock("orders", 42, LockOptions.defaults()).close();
	}

	@Test
	@Wide
	void forgottenScriptsAreTaughtAgain() {
		StandaloneRedis redis = replicated();
		LockApplication application = start(redis, 2, LONG);
		redis.scriptFlush();
		application.locks().lock("orders", 42, WAITING).close();
		application.locks().lock("orders", 42, WAITING).close();
	}

	@Test
	@Wide
	void policyOfTheMethodAppliesWhereThereAreTooFewReplicas() {
		StandaloneRedis redis = replicated();
		LockApplication application = start(redis, 2, SHORT, Desk.class);
		Desk desk = application.get(Desk.class);
		// Unless a replica needs longer on a busy machine
		Awaitility.await()
			.atMost(SOON)
			.ignoreExceptionsInstanceOf(RedisUnavailableException.class)
			.until(() -> desk.denied() > 0);
		Awaitility.await().atMost(SOON).until(() -> desk.allowed() > 0);
		redis.replicas().get(0).pause();
		assertTooFew(desk::denied);
		assertThat(desk.allowed()).isZero();
		assertThat(application.backend().breaker().isOpen()).isFalse();
	}

	@Test
	@Wide
	void failoverBySentinelIsFollowed() {
		SentinelRedis redis = open(RedisServers.sentinel());
		LockApplication application = start(redis, 1, LONG);
		LockHandle held = application.locks().lock("orders", 42, WAITING);
		RedisNode former = redis.primary();
		former.pause();
		redis.awaitFailover(former);
		LockHandle next = lockSoon(application, 43, WAITING);
		assertThat(application.locks().tryLock("orders", 42)).isEmpty();
		next.close();
		held.close();
	}

	@Test
	@Wide
	void eachPrimaryOfAClusterIsAskedForItsReplicas() {
		ClusterRedis redis = open(RedisServers.clusterWithReplicas(1));
		LockApplication application = start(redis, 1, LONG);
		for (int i = 0; i < 12; i++) {
			lockSoon(application, i, WAITING).close();
		}
		redis.nodes().get(3).pause();
		RedisNode served = redis.nodes().get(0);
		LockOptions options = WAITING.syncTimeout(SHORT);
		int refused = 0;
		for (int i = 0; i < 12; i++) {
			int key = i;
			if (redis.primaryFor("{orders:" + i + "}") == served) {
				refused++;
				assertTooFew(() -> application.locks().lock("orders", key, options))
					.withMessageContaining("wants 1 replica, and ");
			}
			else {
				application.locks().lock("orders", key, options.syncTimeout(LONG)).close();
			}
		}
		assertThat(refused).isBetween(1, 11);
	}

	@Test
	@Wide
	void slotsThatMoveToAnotherPrimaryAreFollowed() {
		ClusterRedis redis = open(RedisServers.clusterWithReplicas(1));
		LockApplication application = start(redis, 1, LONG);
		for (int i = 0; i < 12; i++) {
			lockSoon(application, i, WAITING).close();
		}
		RedisNode replica = redis.nodes().get(3);
		RedisNode former = redis.nodes().get(0);
		replica.command("CLUSTER", "FAILOVER");
		Awaitility.await().atMost(SOON).until(() -> replica.isPrimary() && !former.isPrimary());
		Awaitility.await()
			.atMost(SOON)
			.until(() -> "1".equals(replica.info("replication", "connected_slaves"))
					&& "up".equals(former.info("replication", "master_link_status")));
		for (int i = 0; i < 12; i++) {
			lockSoon(application, i, WAITING).close();
		}
	}

	@Test
	@Wide
	void jedisWaitsOnAConnectionOfItsOwn() {
		StandaloneRedis redis = replicated();
		LockApplication application = open(
				LockApplication.start(redis.properties(), new String[] { PATIENT, "spring.data.redis.client-type=jedis",
						"ge.redis.lock.replicas=1", "ge.redis.lock.sync-timeout=" + LONG.toMillis() + "ms" }));
		for (int i = 0; i < 5; i++) {
			lockSoon(application, i, WAITING).close();
		}
		redis.replicas().get(0).pause();
		application.locks().lock("orders", 42, WAITING).close();
		CompletableFuture<?> two = application
			.async(() -> assertTooFew(() -> application.locks().lock("orders", "two", WAITING.replicas(2))));
		awaitBlocked(redis.primary(), 1);
		Stopwatch watch = Stopwatch.start();
		application.locks().lock("orders", 42, WAITING).close();
		assertThat(watch.elapsed()).isLessThan(LONG.dividedBy(3));
		two.orTimeout(30, TimeUnit.SECONDS).join();
		assertTellsHowMany(() -> application.locks().lock("orders", "two", WAITING.replicas(2).syncTimeout(SHORT)),
				"wants 2 replicas, and 1 had acknowledged it");
	}

	private static void awaitQueued(StandaloneRedis redis) {
		Awaitility.await()
			.pollInterval(Duration.ofMillis(5))
			.until(() -> Long.valueOf(1).equals(redis.primary().command("ZCARD", "ge:lock:{orders:42}:q1")));
	}

	static class Desk {

		@DistributedLock(name = "denied")
		public long denied() {
			return LockContext.current().token();
		}

		@DistributedLock(name = "allowed", onOutage = OutagePolicy.ALLOW)
		public long allowed() {
			return LockContext.current().token();
		}

	}

}
