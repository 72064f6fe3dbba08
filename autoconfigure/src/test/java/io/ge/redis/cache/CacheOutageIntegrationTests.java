// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.ge.redis.cache.CacheApplication.Balances;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.TcpProxy;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * One instance that is cut off from a Redis that goes on, and one that is not.
 */
class CacheOutageIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	/** How long an application waits for a Redis that may hang. */
	private static final Duration HURRIED = Duration.ofMillis(500);

	private StandaloneRedis redis;

	private RedisNode server;

	private TcpProxy network;

	private CacheApplication application;

	private CacheApplication other;

	private Balances balances;

	@BeforeEach
	void start() {
		this.redis = RedisServers.standalone();
		this.server = this.redis.primary();
		this.network = new TcpProxy(this.server);
		this.application = CacheApplication
			.start(throughNetwork(), "ge.redis.cache.caches.kept.stale-if-error=1h",
					"ge.redis.cache.caches.slow.lease-time=1h")
			.connected();
		this.other = CacheApplication
			.start(CacheApplication.Configuration.class, this.redis.properties(), this.application.database())
			.connected();
		this.balances = this.application.balances();
		this.balances.insert("a", "100");
		warmUp();
	}

	private void warmUp() {
		Awaitility.await().atMost(PATIENCE).until(() -> {
			this.balances.find("a");
			return this.application.events().takeResults().contains("hit");
		});
		this.balances.add("warm", "0");
		this.application.events().takeResults();
	}

	/**
	 * Waits for Redis as briefly as applications do, for a Redis that hangs. One that is
	 * cut off is noticed at once, and a busy machine must not be taken for an outage.
	 */
	private void hurry() {
		CacheApplication patient = this.application;
		this.application = CacheApplication
			.start(CacheApplication.Configuration.class, throughNetwork(), patient.database(),
					"ge.redis.outage.command-timeout=" + HURRIED.toMillis() + "ms")
			.connected();
		patient.close();
		this.balances = this.application.balances();
		warmUp();
	}

	private String[] throughNetwork() {
		return new String[] { "spring.data.redis.host=" + this.network.host(),
				"spring.data.redis.port=" + this.network.port() };
	}

	@AfterEach
	void stop() {
		this.application.close();
		this.other.close();
		this.network.close();
		assertThat(this.redis.keysWithoutTtl()).isEmpty();
		this.redis.close();
	}

	private void assertAmount(Balances asked, String amount) {
		assertThat(asked.find("a").amount()).isEqualTo(new BigDecimal(amount));
	}

	// Whatever is read on the way is current, and in the end it is cached again
	private void awaitCached(String amount) {
		Awaitility.await().atMost(PATIENCE).until(() -> {
			assertAmount(this.balances, amount);
			this.balances.loads().set(0);
			assertAmount(this.balances, amount);
			return this.balances.loads().get() == 0;
		});
		assertAmount(this.other.balances(), amount);
	}

	@Test
	void awayBeforeTheWrite() {
		this.network.cut();
		this.balances.add("a", "1");
		assertThat(this.application.events().takeResults()).containsExactly("deferred");
		assertAmount(this.balances, "101.00");
		assertThat(this.application.events().takeResults()).containsExactly("bypass", "loaded");
		assertAmount(this.other.balances(), "100.00");
		this.network.resume();
		awaitCached("101.00");
	}

	@Test
	@Wide
	void awayBeforeAWriteThatIsRolledBack() {
		this.network.cut();
		assertThatIllegalStateException().isThrownBy(() -> this.balances.addAndFail("a", "1"));
		this.network.resume();
		awaitCached("100.00");
	}

	@Test
	@Wide
	void awayAtTheCommit() {
		this.balances.afterCommit(this.network::cut);
		this.balances.add("a", "1");
		assertThat(this.application.events().takeResults()).containsExactly("deferred");
		assertAmount(this.balances, "101.00");
		assertAmount(this.other.balances(), "101.00");
		this.network.resume();
		awaitCached("101.00");
	}

	@Test
	@Wide
	void awayAfterTheWrite() {
		this.balances.add("a", "1");
		this.network.cut();
		assertAmount(this.balances, "101.00");
		this.other.balances().add("a", "1");
		assertAmount(this.balances, "102.00");
		this.network.resume();
		awaitCached("102.00");
	}

	@Test
	@Wide
	void hangingDuringTheWriteAndAnsweringLater() {
		hurry();
		this.network.hang();
		Stopwatch watch = Stopwatch.start();
		this.balances.add("a", "1");
		assertThat(watch.elapsed()).isLessThan(Duration.ofSeconds(2));
		assertAmount(this.balances, "101.00");
		this.network.resume();
		awaitCached("101.00");
		// Once more if the machine stands still for longer than this application waits
		Awaitility.await().atMost(PATIENCE).until(() -> {
			long asked = System.nanoTime();
			this.balances.add("a", "1");
			boolean late = System.nanoTime() - asked > HURRIED.toNanos();
			List<String> results = this.application.events().takeResults();
			assertThat(late || results.get(results.size() - 1).equals("published")).as("%s", results).isTrue();
			return results.get(results.size() - 1).equals("published");
		});
		awaitCached(this.balances.stored("a").amount().toString());
	}

	@Test
	@Wide
	void hangingDuringTheReadAndAnsweringLater() {
		hurry();
		this.server.command("DEL", "ge:cache:{balances:a}:e1");
		this.network.hang();
		assertAmount(this.balances, "100.00");
		this.network.resume();
		awaitCached("100.00");
	}

	@Test
	@Wide
	void leaseIsGivenBackWhenItsValueComesWhileRedisIsAway() {
		GeCaches caches = this.application.caches();
		assertThat(caches.get("slow", "a", String.class, () -> {
			this.network.cut();
			this.balances.add("a", "1");
			return "one";
		})).isEqualTo("one");
		assertThat(this.server.command("EXISTS", "ge:cache:{slow:a}:e1")).as("lease").isEqualTo(1L);
		this.network.resume();
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> this.server.command("EXISTS", "ge:cache:{slow:a}:e1").equals(0L));
		assertThat(caches.get("slow", "a", String.class, () -> "two")).isEqualTo("two");
	}

	@Test
	@Wide
	void leasesOfSeveralValuesAreGivenBackWhenTheseComeWhileRedisIsAway() {
		assertThat(this.application.caches().getAll("slow", List.of("a", "b"), String.class, (missing) -> {
			this.network.cut();
			this.balances.add("a", "1");
			return Map.of("a", "one");
		})).containsEntry("a", "one");
		this.network.resume();
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> List.of().equals(this.server.command("KEYS", "ge:cache:{slow:*}:e1")));
	}

	@Test
	@Wide
	void manyWritesWhileAwayAreAllRemoved() {
		for (int i = 0; i < 300; i++) {
			this.balances.insert("k" + i, "1");
			this.other.balances().find("k" + i);
		}
		this.network.cut();
		for (int i = 0; i < 300; i++) {
			this.balances.add("k" + i, "1");
		}
		this.network.resume();
		Awaitility.await()
			.atMost(PATIENCE)
			.untilAsserted(
					() -> assertThat((List<?>) this.server.command("KEYS", "ge:cache:{balances:k*}:e1")).isEmpty());
		for (int i = 0; i < 300; i++) {
			assertThat(this.other.balances().find("k" + i)).isEqualTo(this.balances.stored("k" + i));
		}
	}

	@Test
	void withoutMemoryNoOldValueStaysAndNothingFails() {
		this.server.command("CONFIG", "SET", "maxmemory", "1");
		this.balances.add("a", "1");
		assertAmount(this.other.balances(), "101.00");
		this.application.caches().evict("balances", "a");
		assertThat(this.server.command("EXISTS", "ge:cache:{balances:a}:e1")).isEqualTo(0L);
		this.application.events().takeResults();
		assertAmount(this.balances, "101.00");
		assertThat(this.application.events().takeResults()).containsExactly("bypass", "loaded");
		this.balances.whileLoading(() -> this.server.command("CONFIG", "SET", "maxmemory", "1"));
		this.server.command("CONFIG", "SET", "maxmemory", "0");
		assertAmount(this.balances, "101.00");
		assertThat(this.server.command("EXISTS", "ge:cache:{balances:a}:e1")).as("lease").isEqualTo(0L);
		this.balances.whileLoading(() -> {
		});
		this.server.command("CONFIG", "SET", "maxmemory", "0");
		awaitCached("101.00");
	}

	@Test
	@Wide
	void withoutMemoryAValueThatIsKeptForErrorsIsOfUse() {
		GeCaches caches = this.application.caches();
		caches.get("kept", "a", String.class, () -> "one");
		CacheContract.expireIn(this.server, "ge:cache:{kept:a}:e1", 1_800_000);
		this.server.command("CONFIG", "SET", "maxmemory", "1");
		assertThat(caches.get("kept", "a", String.class, () -> {
			throw new IllegalStateException("no database");
		})).isEqualTo("one");
		assertThat(caches.get("kept", "a", String.class, () -> "two")).isEqualTo("two");
		this.server.command("CONFIG", "SET", "maxmemory", "0");
		assertThat(this.application.events().takeResults()).containsExactly("miss", "loaded", "load_failed", "stale",
				"bypass", "loaded");
	}

	@Test
	@Wide
	void writersRefusedByTheServerLeaveNoOldValueOnceItTakesThemAgain() {
		this.server.command("ACL", "SETUSER", "default", "-hset");
		this.balances.add("a", "1");
		assertThat(this.application.events().takeResults()).containsExactly("invalidated");
		assertAmount(this.balances, "101.00");
		this.balances.afterCommit(() -> this.server.command("ACL", "SETUSER", "default", "-hset"));
		this.server.command("ACL", "SETUSER", "default", "+hset");
		this.balances.add("a", "1");
		assertThat(this.application.events().takeResults()).endsWith("invalidated");
		assertThat(this.server.command("EXISTS", "ge:cache:{balances:a}:w1")).isEqualTo(0L);
		assertAmount(this.balances, "102.00");
		this.server.command("ACL", "SETUSER", "default", "+hset");
		awaitCached("102.00");
	}

	@Test
	void startsWithoutRedis() {
		this.network.cut();
		try (CacheApplication late = CacheApplication.start(CacheApplication.Configuration.class, throughNetwork(),
				this.application.database(), "ge.redis.outage.command-timeout=500ms")) {
			assertAmount(late.balances(), "100.00");
			late.balances().add("a", "1");
			assertAmount(late.balances(), "101.00");
			this.network.resume();
			Awaitility.await().atMost(PATIENCE).until(() -> {
				assertAmount(late.balances(), "101.00");
				return late.events().takeResults().contains("hit");
			});
			assertAmount(this.other.balances(), "101.00");
		}
	}

}
