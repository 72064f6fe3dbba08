// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.ge.redis.cache.CacheEvent.Tier;
import io.ge.redis.cache.internal.RedisCache;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.test.ClusterRedis;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.SentinelRedis;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TcpProxy;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What an instance serves from memory that does not hear of changes.
 */
@ExtendWith(OutputCaptureExtension.class)
class NearCacheOutageIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(40);

	/** So that what is current is so because something was dropped, not for its age. */
	private static final String OLD = "ge.redis.cache.max-staleness=10m";

	private static final Duration MAX_STALENESS = Duration.ofSeconds(1);

	private static final String FRESH = "ge.redis.cache.max-staleness=1s";

	/** For whoever has to go on without a Redis that says nothing. */
	private static final String SHORT = "ge.redis.outage.command-timeout=500ms";

	/** For whom Redis is there, so that a busy machine is no outage. */
	private static final String LONG = "ge.redis.outage.command-timeout=5s";

	@Test
	void changeThatWasMissedWhileTheSubscriptionWasLost() {
		try (StandaloneRedis redis = RedisServers.standalone();
				Pair pair = new Pair(redis, redis.properties(), OLD, LONG, LONG)) {
			RedisEndpoint server = redis.primary();
			pair.awaitNear("100.00");
			server.command("ACL", "SETUSER", "default", "-subscribe");
			server.command("CLIENT", "KILL", "TYPE", "pubsub");
			Awaitility.await().atMost(PATIENCE).until(() -> !pair.bus().isSubscribed());
			// What is in memory is dropped a moment after that
			Awaitility.await().atMost(PATIENCE).until(() -> {
				pair.takeNearHits();
				assertThat(pair.read()).isEqualTo("100.00");
				return pair.takeNearHits() == 0;
			});
			assertThat(pair.read()).isEqualTo("100.00");
			assertThat(pair.takeNearHits()).isZero();
			pair.change();
			assertThat(pair.read()).isEqualTo("101.00");
			assertThat(pair.takeNearHits()).isZero();
			server.command("ACL", "SETUSER", "default", "+subscribe");
			pair.awaitNear("101.00");
		}
	}

	@Test
	@Wide
	void changesAtTheMomentInWhichConnectionsAreKilled() {
		try (StandaloneRedis redis = RedisServers.standalone();
				Pair pair = new Pair(redis, redis.properties(), OLD, SHORT, SHORT)) {
			for (int i = 1; i <= 10; i++) {
				pair.awaitNear(99 + i + ".00");
				redis.primary().command("CLIENT", "KILL", "TYPE", (i % 3 == 0) ? "normal" : "pubsub");
				pair.change();
				String expected = 100 + i + ".00";
				Awaitility.await()
					.atMost(PATIENCE)
					.pollInterval(Duration.ofMillis(2))
					.until(() -> pair.read().equals(expected));
				pair.awaitTold();
			}
		}
	}

	@Test
	@Wide
	void changeWhileTheNetworkWasCut() {
		try (StandaloneRedis redis = RedisServers.standalone();
				TcpProxy network = new TcpProxy(redis.primary());
				Pair pair = new Pair(redis, through(network), OLD, SHORT, LONG)) {
			pair.awaitNear("100.00");
			network.cut();
			pair.change();
			Awaitility.await().atMost(PATIENCE).until(() -> pair.read().equals("101.00"));
			network.resume();
			pair.awaitNear("101.00");
		}
	}

	@Test
	@Wide
	void whatTheInstanceCannotTellRedisItDoesNotServeItself() {
		try (StandaloneRedis redis = RedisServers.standalone();
				TcpProxy network = new TcpProxy(redis.primary());
				Pair pair = new Pair(redis, through(network), OLD, SHORT, LONG)) {
			pair.awaitNear("100.00");
			network.hang();
			pair.near.balances().addOutsideOfCache("a", "1");
			assertThat(pair.read()).as("from memory").isEqualTo("100.00");
			pair.near.caches().clear("balances");
			assertThat(pair.near.events().takeResults()).endsWith("deferred");
			assertThat(pair.read()).isEqualTo("101.00");
			network.resume();
			pair.awaitNear("101.00");
			network.hang();
			pair.near.balances().add("a", "1");
			assertThat(pair.near.events().takeResults()).endsWith("deferred");
			assertThat(pair.read()).isEqualTo("102.00");
			network.resume();
			pair.awaitNear("102.00");
		}
	}

	@Test
	@Wide
	void invalidationByWhoeverMayNotTellOthers(CapturedOutput output) {
		try (StandaloneRedis redis = RedisServers.standalone();
				Pair pair = new Pair(redis, redis.properties(), FRESH, LONG, LONG)) {
			redis.primary().command("ACL", "SETUSER", "w", "on", ">p", "~*", "+@all", "resetchannels");
			List<String> way = new ArrayList<>(List.of(redis.properties()));
			way.addAll(List.of("spring.data.redis.username=w", "spring.data.redis.password=p"));
			try (CacheApplication mute = CacheApplication
				.start(CacheApplication.Configuration.class, way.toArray(String[]::new), pair.near.database(),
						"ge.redis.cache.near.enabled=true", "ge.redis.cache.near.max-entries=0")
				.connectedWithoutBus()) {
				pair.awaitNear("100.00");
				mute.balances().addOutsideOfCache("a", "1");
				mute.caches().clear("balances");
				pair.changed = System.nanoTime();
				assertThat(mute.events().takeResults()).contains("invalidated");
				pair.assertNothingTooOld("101.00");
				pair.awaitNear("101.00");
				Awaitility.await()
					.atMost(PATIENCE)
					.untilAsserted(() -> assertThat(output).contains("ERROR")
						.containsOnlyOnce("does not let this instance publish to 'ge:bus:news'")
						.contains("&ge:bus:*"));
				redis.primary().command("ACL", "SETUSER", "w", "&ge:bus:*");
				Awaitility.await()
					.atMost(PATIENCE)
					.untilAsserted(
							() -> assertThat(output).contains("lets this instance publish to 'ge:bus:news' again"));
			}
		}
	}

	static Stream<Arguments> silences() {
		return Stream
			.of(arguments("nothing arrives", LONG, (BiConsumer<TcpProxy, RedisNode>) (network, node) -> network.hang()),
					arguments("replies are lost", LONG,
							(BiConsumer<TcpProxy, RedisNode>) (network, node) -> network
								.swallow(TcpProxy.Direction.REPLIES)),
					arguments("requests are lost", LONG,
							(BiConsumer<TcpProxy, RedisNode>) (network, node) -> network
								.swallow(TcpProxy.Direction.REQUESTS)),
					arguments("the server stands still", SHORT,
							(BiConsumer<TcpProxy, RedisNode>) (network, node) -> node.pause()))
			.limit(Wide.RUN ? 4 : 1);
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("silences")
	@Sized
	void nothingIsServedThatIsOlderThanItMayBeInSilence(String name, String patience,
			BiConsumer<TcpProxy, RedisNode> silence) {
		try (StandaloneRedis redis = RedisServers.standalone();
				TcpProxy network = new TcpProxy(redis.primary());
				Pair pair = new Pair(redis, through(network), FRESH, SHORT, patience)) {
			pair.awaitNear("100.00");
			silence.accept(network, redis.primary());
			pair.change();
			pair.assertNothingTooOld("101.00");
			redis.primary().resume();
			network.resume();
			pair.awaitTold();
			pair.awaitNear("101.00");
		}
	}

	@Test
	@Wide
	void changeDuringAFailover() {
		try (SentinelRedis redis = RedisServers.sentinel();
				Pair pair = new Pair(redis, redis.properties(), FRESH, SHORT, LONG)) {
			pair.awaitNear("100.00");
			RedisNode former = redis.primary();
			former.kill();
			pair.change();
			redis.awaitFailover(former);
			Awaitility.await().atMost(PATIENCE).until(() -> pair.read().equals("101.00"));
			pair.awaitTold();
			pair.awaitNear("101.00");
			pair.changing.connected();
			pair.change();
			pair.assertNothingTooOld("102.00");
			pair.awaitNear("102.00");
		}
	}

	@Test
	@Wide
	void messagesOfOneNodeOfAClusterDoNotComeThrough() {
		try (ClusterRedis redis = RedisServers.cluster();
				Pair pair = new Pair(redis, redis.properties(), FRESH, LONG, LONG)) {
			RedisNode confirming = redis.primaryFor(pair.bus().channel());
			String id = IntStream.range(0, 1000)
				.mapToObj((number) -> "id" + number)
				.filter((candidate) -> redis.primaryFor(Pair.key(candidate)) != confirming)
				.findFirst()
				.orElseThrow();
			RedisNode silent = redis.primaryFor(Pair.key(id));
			pair.use(id);
			pair.awaitNear("100.00");
			silent.command("ACL", "SETUSER", "default", "resetchannels");
			pair.awaitNear("100.00");
			List<String> heard = new CopyOnWriteArrayList<>();
			pair.bus().handle(RedisCache.NEAR_TOPIC, heard::add);
			pair.change();
			pair.assertNothingTooOld("101.00");
			pair.awaitNear("101.00");
			assertThat(heard).as("messages that came through").isEmpty();
			silent.command("ACL", "SETUSER", "default", "allchannels");
		}
	}

	private static String[] through(TcpProxy network) {
		return new String[] { "spring.data.redis.host=" + network.host(), "spring.data.redis.port=" + network.port() };
	}

	/**
	 * An instance that keeps values in memory, and one that changes them.
	 */
	private static final class Pair implements AutoCloseable {

		private final CacheApplication near;

		private final CacheApplication changing;

		private String id = "a";

		private long changed;

		Pair(RedisFixture redis, String[] way, String maxStaleness, String patience, String changersPatience) {
			this.near = CacheApplication.start(way, properties(maxStaleness, patience)).connected();
			this.changing = CacheApplication
				.start(CacheApplication.Configuration.class, redis.properties(), this.near.database(),
						properties(maxStaleness, changersPatience))
				.connected();
			use("a");
		}

		private static String[] properties(String maxStaleness, String patience) {
			return new String[] { "ge.redis.cache.caches.balances.near.enabled=true",
					"ge.redis.cache.caches.balances.near.ttl=10m", maxStaleness, patience };
		}

		static String key(String id) {
			return "ge:cache:{balances:" + id + "}:e1";
		}

		void use(String newId) {
			this.id = newId;
			this.near.balances().insert(newId, "100");
		}

		InstanceBus bus() {
			return this.near.bean(RedisBackends.class).get(null).bus();
		}

		String read() {
			return this.near.balances().find(this.id).amount().toString();
		}

		void change() {
			this.changing.balances().add(this.id, "1");
			this.changed = System.nanoTime();
			assertThat(this.changing.balances().find(this.id).amount()).isGreaterThan(new BigDecimal("100.00"));
		}

		/**
		 * Waits until Redis knows of the change: until then it may have the old value.
		 */
		void awaitTold() {
			Awaitility.await().atMost(PATIENCE).until(() -> {
				this.changing.events().takeResults();
				this.changing.balances().find(this.id);
				return this.changing.events().takeResults().contains("hit");
			});
		}

		long takeNearHits() {
			return this.near.events()
				.takeEvents()
				.stream()
				.filter((event) -> event instanceof CacheEvent.Read read && read.tier() == Tier.NEAR)
				.count();
		}

		/**
		 * Reads until the value comes from memory. What is read is always the same.
		 */
		void awaitNear(String amount) {
			Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> {
				takeNearHits();
				assertThat(read()).isEqualTo(amount);
				return takeNearHits() == 1;
			});
		}

		/**
		 * Reads for three times as long as values may be stale after the change.
		 */
		void assertNothingTooOld(String amount) {
			while (true) {
				long asked = System.nanoTime();
				String read = read();
				Duration since = Duration.ofNanos(asked - this.changed);
				if (!read.equals(amount)) {
					assertThat(since).as("age of what is served").isLessThanOrEqualTo(MAX_STALENESS);
				}
				else if (since.compareTo(MAX_STALENESS.multipliedBy(3)) > 0) {
					return;
				}
			}
		}

		@Override
		public void close() {
			this.near.close();
			this.changing.close();
		}

	}

}
