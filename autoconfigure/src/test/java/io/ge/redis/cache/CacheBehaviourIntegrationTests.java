// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.ge.redis.InvalidKeyException;
import io.ge.redis.cache.CacheApplication.Balance;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.core.ParameterizedTypeReference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What settings do, and what happens at the edges.
 */
@OnRedis
class CacheBehaviourIntegrationTests {

	private static final String ENTRY = "ge:cache:{balances:a}:e1";

	private RedisFixture redis;

	private RedisEndpoint server;

	private @Nullable CacheApplication application;

	@BeforeEach
	void setUp(RedisFixture redis) {
		this.redis = redis;
		this.server = redis.endpoints().get(0);
	}

	@AfterEach
	void stop() {
		if (this.application != null) {
			this.application.close();
		}
	}

	private CacheApplication start(String... properties) {
		CacheApplication started = CacheApplication.start(this.redis.properties(), properties).connected();
		started.balances().insert("a", "100");
		this.application = started;
		return started;
	}

	private CacheApplication startOther(CacheApplication first, String... properties) {
		return CacheApplication
			.start(CacheApplication.Configuration.class, this.redis.properties(), first.database(), properties)
			.connected();
	}

	private long ttl(String key) {
		return (Long) this.server.command("PTTL", key);
	}

	@Test
	void ttlOfTheAnnotationsHoldsForReadersAndWriters() {
		CacheApplication app = start();
		app.balances().find("a");
		assertThat(ttl(ENTRY)).isBetween(30_000L, 60_000L);
		app.balances().add("a", "1");
		assertThat(ttl(ENTRY)).isBetween(30_000L, 60_000L);
		app.balances().find("none");
		assertThat(ttl("ge:cache:{balances:none}:e1")).isBetween(1_000L, 5_000L);
		app.balances().findOptional("a");
		assertThat(ttl("ge:cache:{optional:a}:e1")).isBetween(500_000L, 600_000L);
		app.balances().findOptional("none");
		assertThat(ttl("ge:cache:{optional:none}:e1")).isBetween(20_000L, 30_000L);
	}

	@Test
	void ttlOfThePropertiesWins() {
		CacheApplication app = start("ge.redis.cache.caches.balances.ttl=2h",
				"ge.redis.cache.caches.balances.negative-ttl=1h", "ge.redis.cache.ttl=3h",
				"ge.redis.cache.ttl-jitter=0", "ge.redis.cache.negative-ttl=0s");
		app.balances().find("a");
		assertThat(ttl(ENTRY)).isBetween(7_000_000L, 7_200_000L);
		app.balances().find("none");
		assertThat(ttl("ge:cache:{balances:none}:e1")).isBetween(3_500_000L, 3_600_000L);
		app.balances().findOptional("a");
		assertThat(ttl("ge:cache:{optional:a}:e1")).isBetween(10_500_000L, 10_800_000L);
		app.balances().findOptional("none");
		app.balances().findOptional("none");
		assertThat(app.balances().loads()).as("absence is not cached").hasValue(5);
		app.balances().remove("a");
		assertThat(app.events().takeResults()).endsWith("published");
	}

	@Test
	@Wide
	void intentTimeoutEndsTheTimeOfADeadWriter() {
		// Long enough for the reader that is to find the writer at work
		CacheApplication app = start("ge.redis.cache.intent-timeout=5s");
		app.balances().find("a");
		CountDownLatch dead = new CountDownLatch(1);
		app.balances().afterCommit(() -> CacheContract.await(dead));
		CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> app.balances().add("a", "1"),
				(task) -> new Thread(task).start());
		Awaitility.await().until(() -> ttl(ENTRY) == -2);
		assertThat(app.balances().find("a")).isEqualTo(app.balances().stored("a"));
		assertThat(app.events().takeResults()).endsWith("bypass", "loaded");
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
			assertThat(app.balances().find("a")).isEqualTo(app.balances().stored("a"));
			return app.events().takeResults().contains("hit");
		});
		app.balances().afterCommit(() -> {
		});
		app.balances().add("a", "1");
		dead.countDown();
		writer.join();
		assertThat(app.events().takeResults()).containsExactly("published", "superseded");
		assertThat(app.balances().find("a")).isEqualTo(app.balances().stored("a"));
	}

	@Test
	void leaseOfASlowLoaderIsTakenOverAndItsValueIsNotStored() throws Exception {
		CacheApplication slow = start("ge.redis.cache.lease-time=700ms", "ge.redis.cache.load-wait=20s");
		try (CacheApplication other = startOther(slow, "ge.redis.cache.lease-time=700ms",
				"ge.redis.cache.caches.balances.load-wait=20s")) {
			CountDownLatch loading = new CountDownLatch(1);
			CountDownLatch release = new CountDownLatch(1);
			slow.balances().whileLoading(() -> {
				loading.countDown();
				CacheContract.await(release);
			});
			CompletableFuture<Balance> first = CompletableFuture.supplyAsync(() -> slow.balances().find("a"));
			CacheContract.await(loading);
			assertThat(other.balances().find("a")).isNotNull();
			assertThat(other.events().takeResults()).containsExactly("miss", "loaded");
			other.balances().add("a", "1");
			release.countDown();
			assertThat(first.get(10, TimeUnit.SECONDS).amount()).isEqualTo(new BigDecimal("100.00"));
			assertThat(other.balances().find("a").amount()).isEqualTo(new BigDecimal("101.00"));
			assertThat(other.events().takeResults()).containsExactly("published", "hit");
		}
	}

	@Test
	@Wide
	void whoHasWaitedLongEnoughLoadsForItself() {
		CacheApplication slow = start("ge.redis.cache.lease-time=1m");
		try (CacheApplication other = startOther(slow, "ge.redis.cache.load-wait=100ms")) {
			CountDownLatch loading = new CountDownLatch(1);
			CountDownLatch release = new CountDownLatch(1);
			slow.balances().whileLoading(() -> {
				loading.countDown();
				CacheContract.await(release);
			});
			CompletableFuture<Balance> first = CompletableFuture.supplyAsync(() -> slow.balances().find("a"));
			CacheContract.await(loading);
			assertThat(other.balances().find("a")).isNotNull();
			assertThat(other.events().takeResults()).containsExactly("miss", "loaded");
			release.countDown();
			first.join();
			assertThat(other.balances().find("a")).isNotNull();
			assertThat(other.events().takeResults()).containsExactly("hit");
		}
	}

	@Test
	void unreadableValueIsAMissAndReplaced() {
		CacheApplication app = start();
		app.balances().find("a");
		app.events().takeResults();
		this.server.command("SET", ENTRY, "written by somebody else", "PX", "60000");
		assertThat(app.balances().find("a")).isEqualTo(app.balances().stored("a"));
		assertThat(app.events().takeResults()).containsExactly("unreadable", "miss", "loaded");
		this.server.command("SETRANGE", ENTRY, "30", "x");
		assertThat(app.balances().find("a")).isEqualTo(app.balances().stored("a"));
		assertThat(app.events().takeResults()).containsExactly("unreadable", "miss", "loaded");
		assertThat(app.balances().find("a")).isEqualTo(app.balances().stored("a"));
		assertThat(app.events().takeResults()).containsExactly("hit");
	}

	@Test
	@Wide
	void valuesAreJsonWithoutClassNames() {
		CacheApplication app = start();
		app.balances().find("a");
		assertThat(String.valueOf(this.server.command("GETRANGE", ENTRY, "30", "-1")))
			.isEqualTo("{\"id\":\"a\",\"amount\":100.00,\"version\":0}");
	}

	@Test
	@Wide
	void genericTypesConditionAndUnless() {
		CacheApplication app = start();
		app.balances().insert("b", "101");
		assertThat(app.balances().between(0, 100)).hasSize(1).first().isInstanceOf(Balance.class);
		assertThat(app.balances().between(0, 100)).isEqualTo(List.of(app.balances().stored("a")));
		assertThat(app.balances().loads()).hasValue(1);
		app.balances().between(100, 0);
		app.balances().between(100, 0);
		assertThat(app.balances().loads()).as("condition").hasValue(3);
		app.balances().insert("c", "102");
		app.balances().between(0, 200);
		app.balances().between(0, 200);
		assertThat(app.balances().loads()).as("unless").hasValue(5);
	}

	@Test
	@Wide
	void loaderThatReadsItsOwnEntryDoesNotWaitForItself() {
		CacheApplication app = start();
		GeCaches caches = app.caches();
		String value = caches.get("names", "a", String.class,
				() -> "outer " + caches.get("names", "a", String.class, () -> "inner"));
		assertThat(value).isEqualTo("outer inner");
		assertThat(app.events().takeResults()).containsExactly("miss", "bypass", "loaded", "loaded");
	}

	@Test
	@Wide
	void cachesInCodeShareEntriesWithAnnotations() {
		CacheApplication app = start();
		GeCaches caches = app.caches();
		Balance found = caches.get("balances", "a", Balance.class, () -> app.balances().stored("a"));
		assertThat(app.balances().find("a")).isEqualTo(found);
		assertThat(app.balances().loads()).hasValue(0);
		Balance written = caches.write("balances", List.of("a"),
				() -> app.transaction().execute((status) -> app.balances().addInCallersTransaction("a", "1")));
		assertThat(caches.get("balances", "a", Balance.class, () -> null)).isEqualTo(written);
		assertThatIllegalArgumentException().isThrownBy(() -> caches.get("balances", "a", String.class, () -> "text"))
			.withMessageContaining("Cache 'balances' holds");
		ParameterizedTypeReference<List<String>> type = new ParameterizedTypeReference<>() {
		};
		assertThat(caches.get("texts", 7, type, () -> List.of("x"))).isEqualTo(List.of("x"));
		assertThat(caches.get("texts", 7, type, () -> List.of("y"))).isEqualTo(List.of("x"));
	}

	@Test
	@Wide
	void keyThatIsNullIsRefused() {
		CacheApplication app = start();
		assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> app.balances().find(null))
			.withMessageContaining("@CacheAside")
			.withMessageContaining("evaluated to null");
	}

	@Test
	@Wide
	void loadersOfOtherKeysDoNotWait() {
		CacheApplication app = start();
		app.balances().insert("b", "1");
		CountDownLatch release = new CountDownLatch(1);
		CountDownLatch loading = new CountDownLatch(1);
		app.balances().whileLoading(() -> {
			app.balances().whileLoading(() -> {
			});
			loading.countDown();
			CacheContract.await(release);
		});
		CompletableFuture<Balance> first = CompletableFuture.supplyAsync(() -> app.balances().find("a"));
		CacheContract.await(loading);
		assertThat(app.balances().find("b")).isNotNull();
		release.countDown();
		assertThat(first.join()).isNotNull();
	}

}
