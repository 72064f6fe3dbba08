// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import io.ge.redis.OutageCause;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.connection.ReplyErrors;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.test.ClusterRedis;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.TcpProxy;
import io.ge.redis.test.TestBackend;
import io.ge.redis.test.Wide;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DnsResolvers;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The one door to a Cluster, with one of its servers broken behind it.
 */
@Wide
class ClusterOutageIntegrationTests {

	private static final LuaScript SET = LuaScript.load(ClusterOutageIntegrationTests.class, "set-once.lua");

	private static final LuaScript DELETE = LuaScript.load(ClusterOutageIntegrationTests.class, "delete.lua");

	private static final KeySpace KEYS = new KeySpace("ge", "test");

	/** So long that a busy machine fails no call to a server that works. */
	private static final Duration BUDGET = Duration.ofSeconds(1);

	private static final int THRESHOLD = 3;

	/**
	 * Time for the breaker to open, and for the map of the cluster to be looked at twice.
	 */
	private static final Duration RECOVERY = Duration.ofSeconds(10);

	private static final String PARTIAL = "cluster-require-full-coverage no";

	/** How soon the others take a server for failed, and for how long at least. */
	private static final String ATTENTIVE = "cluster-node-timeout 1000";

	/** The default, so that the others notice nothing of an outage of some seconds. */
	private static final String INDIFFERENT = "cluster-node-timeout 15000";

	/**
	 * How many calls may be kept from their answers by the machine, one after another.
	 */
	private static final int MOST_STALLS = 2;

	/** For tests after which it is as it was before. */
	private static ClusterRedis shared;

	private int stalls;

	@BeforeAll
	static void start() {
		shared = RedisServers.cluster(PARTIAL, INDIFFERENT);
	}

	@AfterAll
	static void stop() {
		shared.close();
	}

	@BeforeEach
	void empty() {
		shared.flushAll();
	}

	@Test
	void hungServerCostsAFewBudgetsAndTheOthersNothing() {
		try (ClusterRedis redis = RedisServers.cluster(PARTIAL, ATTENTIVE); TestBackend backend = on(redis)) {
			RedisNode hung = redis.nodes().get(0);
			RedisKey broken = keyOf(redis, hung);
			List<RedisKey> others = keysOf(redis, (node) -> node != hung);
			hung.pause();
			for (int i = 0; i < 5 * THRESHOLD; i++) {
				assertThat(refusal(backend, broken)).isEqualTo(OutageCause.TIMEOUT);
				others.forEach((other) -> serve(backend, other));
			}
			assertThat(backend.failures()).hasSize(THRESHOLD + this.stalls);
			assertThat(backend.get().breaker().openCause()).isEqualTo(OutageCause.TIMEOUT);
			Stopwatch watch = Stopwatch.start();
			for (int i = 0; i < 1000; i++) {
				refusal(backend, broken);
			}
			assertThat(watch.elapsed()).isLessThan(Duration.ofSeconds(1));
			hung.resume();
			Awaitility.await().atMost(RECOVERY).until(() -> succeeds(backend, broken));
			assertThat(backend.get().breaker().isOpen()).isFalse();
			others.forEach((other) -> serve(backend, other));
		}
	}

	@Test
	void killedServerIsReplacedByItsReplicaWhileTheOthersGoOn() {
		try (ClusterRedis redis = RedisServers.clusterWithReplicas(1, PARTIAL, ATTENTIVE);
				TestBackend backend = on(redis)) {
			RedisNode killed = redis.nodes().get(1);
			RedisKey broken = keyOf(redis, killed);
			List<RedisKey> others = keysOf(redis, (node) -> node != killed);
			killed.kill();
			Awaitility.await().until(() -> {
				refusal(backend, broken);
				return backend.get().breaker().isOpen();
			});
			CompletableFuture<Void> failover = CompletableFuture.runAsync(() -> redis.awaitFailover(killed));
			while (!failover.isDone()) {
				others.forEach((other) -> serve(backend, other));
			}
			failover.join();
			Awaitility.await().atMost(RECOVERY).until(() -> succeeds(backend, broken));
			assertThat(backend.get().breaker().isOpen()).isFalse();
			others.forEach((other) -> serve(backend, other));
		}
	}

	@Test
	void hungServerIsLeftForTheOneThatTookItsPlace() {
		try (ClusterRedis redis = RedisServers.clusterWithReplicas(1, PARTIAL, ATTENTIVE);
				TestBackend backend = on(redis)) {
			RedisNode hung = redis.nodes().get(2);
			RedisKey broken = keyOf(redis, hung);
			List<RedisKey> others = keysOf(redis, (node) -> node != hung);
			hung.pause();
			Awaitility.await().until(() -> {
				refusal(backend, broken);
				return backend.get().breaker().isOpen();
			});
			CompletableFuture<Void> failover = CompletableFuture.runAsync(() -> redis.awaitFailover(hung));
			while (!failover.isDone()) {
				others.forEach((other) -> serve(backend, other));
			}
			failover.join();
			Awaitility.await().atMost(RECOVERY).until(() -> succeeds(backend, broken));
			assertThat(backend.get().breaker().isOpen()).isFalse();
			hung.resume();
			others.forEach((other) -> serve(backend, other));
		}
	}

	@Test
	void startsWhileOneServerHangs() {
		RedisNode hung = shared.nodes().get(0);
		RedisKey broken = keyOf(shared, hung);
		List<RedisKey> others = keysOf(shared, (node) -> node != hung);
		hung.pause();
		try (TestBackend backend = TestBackend.on(shared.connectionFactory(), "instance-1", BUDGET)) {
			others.forEach((other) -> Awaitility.await().until(() -> succeeds(backend, other)));
			assertThat(refused(backend, broken)).isTrue();
			hung.resume();
			Awaitility.await().atMost(RECOVERY).until(() -> succeeds(backend, broken));
		}
		finally {
			hung.resume();
		}
	}

	@Test
	void clusterThatServesNothingWithoutAllItsSlotsIsAwayAsAWhole() {
		try (ClusterRedis redis = RedisServers.cluster(ATTENTIVE); TestBackend backend = on(redis)) {
			RedisNode killed = redis.nodes().get(0);
			RedisKey broken = keyOf(redis, killed);
			List<RedisKey> others = keysOf(redis, (node) -> node != killed);
			killed.kill();
			Awaitility.await().until(() -> {
				others.forEach((other) -> succeeds(backend, other));
				return backend.failures().contains(OutageCause.CLUSTERDOWN);
			});
			Awaitility.await()
				.until(() -> refused(backend, broken) && others.stream().allMatch((other) -> refused(backend, other)));
			Awaitility.await().until(() -> {
				int before = backend.failures().size();
				others.forEach((other) -> refusal(backend, other));
				refusal(backend, broken);
				return backend.failures().size() == before;
			});
			killed.start();
			redis.awaitOk();
			Awaitility.await().atMost(RECOVERY).until(() -> succeeds(backend, broken));
			others.forEach((other) -> Awaitility.await().atMost(RECOVERY).until(() -> succeeds(backend, other)));
			assertThat(backend.get().breaker().isOpen()).isFalse();
		}
	}

	@Test
	void commandThatTimedOutIsTakenBackOnTheSameKey() {
		RedisNode hung = shared.nodes().get(0);
		RedisKey broken = keyOf(shared, hung);
		RedisKey neighbour = keysOn(shared, hung).get(1);
		try (TestBackend backend = on(shared)) {
			hung.pause();
			GuardedRedis door = backend.get().redis("test");
			CompletableFuture<ScriptReply> lost = door.run(ScriptCall.of(SET, broken, "lost"), door.newBudget(),
					() -> ScriptCall.of(DELETE, broken, "lost"), Duration.ofMinutes(1));
			assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> Waiting.await(lost))
				.matches(RedisUnavailableException::isOutcomeUnknown);
			Awaitility.await().until(() -> {
				refusal(backend, neighbour);
				return backend.get().breaker().isOpen();
			});
			hung.resume();
			Awaitility.await().atMost(RECOVERY).until(() -> succeeds(backend, broken));
			assertThat(set(backend, broken, "next")).isEqualTo("back");
		}
		finally {
			hung.resume();
		}
	}

	@Test
	void connectionThatWasCutSilentlyIsReplacedWithoutFailingCallsOnOthers() {
		RedisNode unreachable = shared.nodes().get(0);
		try (TcpProxy network = new TcpProxy(unreachable)) {
			AtomicInteger port = new AtomicInteger(network.port());
			ClientResources resources = ClientResources.builder()
				.socketAddressResolver(MappingSocketAddressResolver.create(DnsResolvers.UNRESOLVED,
						(address) -> (address.getPort() != unreachable.port()) ? address
								: HostAndPort.of(address.getHostText(), port.get())))
				.build();
			try (TestBackend backend = TestBackend.on(factory(shared, resources), "instance-1", BUDGET)) {
				RedisKey broken = keyOf(shared, unreachable);
				List<RedisKey> others = keysOf(shared, (node) -> node != unreachable);
				Awaitility.await().until(() -> succeeds(backend, broken));
				network.hang();
				port.set(unreachable.port());
				Awaitility.await().pollInterval(Duration.ofMillis(1)).atMost(RECOVERY).until(() -> {
					others.forEach((other) -> serve(backend, other));
					return succeeds(backend, broken);
				});
				assertThat(backend.failures()).hasSizeGreaterThanOrEqualTo(THRESHOLD);
				assertThat(backend.get().breaker().isOpen()).isFalse();
			}
			finally {
				resources.shutdown();
			}
		}
	}

	@Test
	void callOnAHalfMigratedSlotIsRepeatedAndCountsForNoBreaker() {
		RedisNode source = shared.nodes().get(0);
		RedisNode target = shared.nodes().get(1);
		RedisKey present = keyOf(shared, source);
		RedisKey absent = present.with(KeyPart.of("absent"));
		String slot = String.valueOf(source.command("CLUSTER", "KEYSLOT", present.toString()));
		try (TestBackend backend = on(shared)) {
			set(backend, present, "there");
			migrate(target, slot, "IMPORTING", source);
			migrate(source, slot, "MIGRATING", target);
			for (int i = 0; i < THRESHOLD; i++) {
				assertThatExceptionOfType(RedisUnavailableException.class)
					.isThrownBy(() -> Waiting.await(both(backend, present, absent, BUDGET)))
					.matches((ex) -> ex.reason() == OutageCause.TRYAGAIN && !ex.isOutcomeUnknown());
			}
			assertThat(backend.get().breaker().isOpen()).isFalse();
			keysOn(shared, source).forEach((other) -> serve(backend, other));
			CompletableFuture<ScriptReply> repeated = both(backend, present, absent, Duration.ofSeconds(30));
			source.command("CLUSTER", "SETSLOT", slot, "STABLE");
			assertThat(Waiting.await(repeated).text(0)).isEqualTo("there");
		}
		finally {
			source.command("CLUSTER", "SETSLOT", slot, "STABLE");
			target.command("CLUSTER", "SETSLOT", slot, "STABLE");
		}
	}

	@Test
	void slotThatStaysHalfMigratedRefusesCallsOfThatSlotOnly() throws Exception {
		Map<String, Long> refused = refusedWhileHalfMigrated(UnaryOperator.identity(), Duration.ofSeconds(15));
		assertThat(refused).containsEntry("elsewhere", 0L)
			.hasEntrySatisfying("slot", (calls) -> assertThat(calls).isPositive());
	}

	@Test
	void isSeenWhereCallsOfAHalfMigratedSlotCountForTheServer() throws Exception {
		Map<String, Long> refused = refusedWhileHalfMigrated(ClusterOutageIntegrationTests::counting,
				Duration.ofSeconds(3));
		assertThat(refused.get("elsewhere")).isPositive();
	}

	/**
	 * Returns how many calls of a half migrated slot were refused, and how many others of
	 * its server.
	 */
	private static Map<String, Long> refusedWhileHalfMigrated(UnaryOperator<GuardConnection> connection, Duration held)
			throws Exception {
		RedisNode source = shared.nodes().get(0);
		RedisNode target = shared.nodes().get(1);
		List<RedisKey> keys = keysOn(shared, source);
		RedisKey present = keys.get(0);
		RedisKey absent = present.with(KeyPart.of("absent"));
		String slot = String.valueOf(source.command("CLUSTER", "KEYSLOT", present.toString()));
		Map<String, Long> refused = new ConcurrentHashMap<>(Map.of("slot", 0L, "elsewhere", 0L));
		try (TestBackend backend = TestBackend.on(shared.connectionFactory(), BUDGET, connection)) {
			Awaitility.await().until(() -> keys.stream().allMatch((key) -> succeeds(backend, key)));
			migrate(target, slot, "IMPORTING", source);
			migrate(source, slot, "MIGRATING", target);
			long end = System.nanoTime() + held.toNanos();
			List<Thread> callers = IntStream.range(0, 12).mapToObj((i) -> new Thread(() -> {
				while (System.nanoTime() - end < 0) {
					boolean ofSlot = i % 3 > 0;
					try {
						Waiting.await(ofSlot ? both(backend, present, absent, BUDGET)
								: both(backend, keys.get(1), keys.get(1), BUDGET));
					}
					catch (RedisUnavailableException ex) {
						// The machine may have stalled
						if (ex.reason() != OutageCause.TIMEOUT) {
							refused.merge(ofSlot ? "slot" : "elsewhere", 1L, Long::sum);
						}
					}
					LockSupport.parkNanos(1_000_000);
				}
			})).toList();
			callers.forEach(Thread::start);
			for (Thread caller : callers) {
				caller.join();
			}
		}
		finally {
			source.command("CLUSTER", "SETSLOT", slot, "STABLE");
			target.command("CLUSTER", "SETSLOT", slot, "STABLE");
		}
		return refused;
	}

	/** A connection on which a half migrated slot is an outage of its server. */
	private static GuardConnection counting(GuardConnection connection) {
		return (GuardConnection) Proxy.newProxyInstance(GuardConnection.class.getClassLoader(),
				new Class<?>[] { GuardConnection.class }, (proxy, method, arguments) -> {
					Object result = method.invoke(connection, arguments);
					return method.getName().startsWith("eval")
							? ((CompletionStage<?>) result)
								.exceptionallyCompose((failure) -> CompletableFuture.failedFuture(
										ReplyErrors.isTryAgain(failure) ? new IOException("CLUSTERDOWN") : failure))
							: result;
				});
	}

	private static void migrate(RedisNode node, String slot, String direction, RedisNode other) {
		node.command("CLUSTER", "SETSLOT", slot, direction, String.valueOf(other.command("CLUSTER", "MYID")));
	}

	private static CompletableFuture<ScriptReply> both(TestBackend backend, RedisKey one, RedisKey other,
			Duration budget) {
		return backend.get().redis("test").run(ScriptCall.of(SET, List.of(one, other), "new"), CallBudget.of(budget));
	}

	private static LettuceConnectionFactory factory(ClusterRedis redis, ClientResources resources) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				(RedisClusterConfiguration) redis.configuration(),
				LettuceClientConfiguration.builder().clientResources(resources).build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	/** Warm, since the first commands on a busy machine may need longer. */
	private static TestBackend on(ClusterRedis redis) {
		TestBackend backend = TestBackend.on(redis.connectionFactory(), "instance-1", BUDGET);
		redis.nodes()
			.stream()
			.limit(3)
			.forEach((node) -> Awaitility.await().until(() -> succeeds(backend, keyOf(redis, node))));
		redis.nodes()
			.stream()
			.limit(3)
			.forEach((node) -> Awaitility.await()
				.ignoreExceptionsInstanceOf(RedisUnavailableException.class)
				.untilAsserted(() -> delete(backend, keyOf(redis, node))));
		Awaitility.await().until(() -> !backend.get().breaker().isOpen());
		backend.failures().clear();
		return backend;
	}

	private static RedisKey keyOf(ClusterRedis redis, RedisNode server) {
		return keysOn(redis, server).get(0);
	}

	private static List<RedisKey> keysOf(ClusterRedis redis, Predicate<RedisNode> wanted) {
		return redis.nodes().stream().limit(3).filter(wanted).map((node) -> keyOf(redis, node)).toList();
	}

	private static List<RedisKey> keysOn(ClusterRedis redis, RedisNode server) {
		return IntStream.range(0, 50)
			.mapToObj((i) -> KEYS.entity(KeyPart.of("entity-" + i)))
			.filter((key) -> redis.primaryFor(key.toString()) == server)
			.toList();
	}

	private static String set(TestBackend backend, RedisKey key, String value) {
		GuardedRedis door = backend.get().redis("test");
		return Waiting.await(door.run(ScriptCall.of(SET, key, value), door.newBudget())).text(0);
	}

	/**
	 * Has a server that works run a command. One that the machine gave less time than the
	 * budget says nothing of the server, and is repeated.
	 */
	private void serve(TestBackend backend, RedisKey key) {
		for (int stalled = 0;; stalled++) {
			Stopwatch watch = Stopwatch.start();
			try {
				set(backend, key, "stands");
				return;
			}
			catch (RedisUnavailableException ex) {
				if (ex.reason() != OutageCause.TIMEOUT || watch.elapsed().compareTo(BUDGET) >= 0
						|| stalled == MOST_STALLS) {
					throw ex;
				}
				this.stalls++;
			}
		}
	}

	private static void delete(TestBackend backend, RedisKey key) {
		GuardedRedis door = backend.get().redis("test");
		Waiting.await(door.run(ScriptCall.of(DELETE, key, "back"), door.newBudget()));
	}

	private static boolean succeeds(TestBackend backend, RedisKey key) {
		try {
			set(backend, key, "back");
			return true;
		}
		catch (RedisUnavailableException ex) {
			return false;
		}
	}

	private static boolean refused(TestBackend backend, RedisKey key) {
		return !succeeds(backend, key);
	}

	private static OutageCause refusal(TestBackend backend, RedisKey key) {
		try {
			set(backend, key, "refused");
		}
		catch (RedisUnavailableException ex) {
			return ex.reason();
		}
		throw new AssertionError("The command succeeded");
	}

}
