// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.ge.redis.OutageCause;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.test.ClusterRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.TestBackend;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link GeRedisHealthIndicator}.
 */
class GeRedisHealthIndicatorIntegrationTests {

	private static final LuaScript PROBE = LuaScript.load(RedisBackend.class, "probe.lua");

	@Test
	void serverThatKeepsEverythingIsUp() {
		try (StandaloneRedis redis = RedisServers.standalone("maxmemory 100mb", "maxmemory-policy noeviction")) {
			Health health = check(redis);
			assertThat(health.getStatus()).isEqualTo(Status.UP);
			assertThat(details(health)).isEqualTo(Map.of("state", "available", "evictionPolicy", "noeviction"));
			assertThat(redis.keysWithoutTtl()).isEmpty();
		}
	}

	@Test
	@Wide
	void clusterIsUp() {
		assertThat(check(SharedRedis.cluster()).getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void serverThatMayEvictIsUnknown() {
		for (String policy : new String[] { "allkeys-lru", "volatile-ttl" }) {
			try (StandaloneRedis redis = RedisServers.standalone("maxmemory 100mb", "maxmemory-policy " + policy)) {
				Health health = check(redis);
				assertThat(health.getStatus()).isEqualTo(Status.UNKNOWN);
				assertThat(details(health)).containsEntry("evictionPolicy", policy);
				assertThat(details(health).get("problem")).asString().contains("noeviction", "connection-factory");
			}
		}
	}

	@Test
	void policyWithoutLimitEvictsNothing() {
		try (StandaloneRedis redis = RedisServers.standalone("maxmemory-policy allkeys-lru")) {
			assertThat(check(redis).getStatus()).isEqualTo(Status.UP);
		}
	}

	@Test
	void serverThatDoesNotTellIsUnknown() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			redis.primary().command("ACL", "SETUSER", "default", "-info", "-config");
			Health health = check(redis);
			assertThat(health.getStatus()).isEqualTo(Status.UNKNOWN);
			assertThat(details(health)).containsEntry("state", "available").containsKey("problem");
		}
	}

	@Test
	void missingPermissionIsDown() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			redis.primary().command("ACL", "SETUSER", "default", "-set");
			Health health = check(redis);
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat(details(health)).containsEntry("state", "refusing");
			assertThat(details(health).get("problem")).asString().contains("can't run this command");
		}
		try (StandaloneRedis redis = RedisServers.standalone()) {
			redis.primary().command("ACL", "SETUSER", "default", "-@scripting");
			Health health = check(redis);
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat(details(health)).isEqualTo(unavailable(OutageCause.NOPERM));
		}
	}

	@Test
	void whatHindersGuardsIsUnknown() {
		try (StandaloneRedis redis = RedisServers.standalone("maxmemory 100mb", "maxmemory-policy allkeys-lru")) {
			redis.primary().command("ACL", "SETUSER", "default", "resetchannels");
			try (TestBackend backend = TestBackend.on(redis)) {
				GeRedisHealthIndicator indicator = indicator(backend);
				Awaitility.await()
					.untilAsserted(() -> assertThat(details(indicator.health()).get("problem")).asString()
						.contains("noeviction", "&ge:bus:*"));
				assertThat(indicator.health().getStatus()).isEqualTo(Status.UNKNOWN);
				redis.primary().command("CONFIG", "SET", "maxmemory-policy", "noeviction");
				assertThat(indicator.health().getStatus()).isEqualTo(Status.UNKNOWN);
			}
		}
	}

	@Test
	void exhaustedMemoryIsDown() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			redis.primary().command("CONFIG", "SET", "maxmemory", "1");
			Health health = check(redis);
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat(details(health).get("problem")).asString().contains("memory");
		}
	}

	@Test
	void hangingServerIsDownWithinTheBudget() {
		try (StandaloneRedis redis = RedisServers.standalone();
				TestBackend backend = TestBackend.on(redis.connectionFactory(), "instance", Duration.ofMillis(200))) {
			GeRedisHealthIndicator indicator = indicator(backend);
			Awaitility.await().until(() -> indicator.health().getStatus().equals(Status.UP));
			redis.primary().pause();
			Stopwatch watch = Stopwatch.start();
			Health health = indicator.health();
			assertThat(watch.elapsed()).isLessThan(Duration.ofSeconds(1));
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat(details(health)).isEqualTo(unavailable(OutageCause.TIMEOUT));
			redis.primary().resume();
		}
	}

	@Test
	@Wide
	void oneHangingServerOfClusterIsDown() {
		try (ClusterRedis redis = RedisServers.cluster("cluster-require-full-coverage no");
				TestBackend backend = TestBackend.on(redis.connectionFactory(), "instance", Duration.ofMillis(200))) {
			GeRedisHealthIndicator indicator = indicator(backend);
			Awaitility.await().until(() -> indicator.health().getStatus().equals(Status.UP));
			RedisNode asked = redis.primaryFor(backend.get().keys("health").entity(KeyPart.of("probe")).toString());
			RedisKey key = IntStream.range(0, 50)
				.mapToObj((i) -> backend.get().keys("test").entity(KeyPart.of("entity-" + i)))
				.filter((candidate) -> redis.primaryFor(candidate.toString()) != asked)
				.findFirst()
				.orElseThrow();
			RedisNode hung = redis.primaryFor(key.toString());
			hung.pause();
			Awaitility.await().until(() -> {
				GuardedRedis door = backend.get().redis("test");
				door.run(ScriptCall.of(PROBE, key), door.newBudget()).handle((reply, failure) -> true).join();
				return backend.get().breaker().isOpen();
			});
			assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
			assertThat(details(indicator.health())).isEqualTo(unavailable(OutageCause.TIMEOUT));
			hung.resume();
			Awaitility.await().until(() -> indicator.health().getStatus().equals(Status.UP));
		}
	}

	@Test
	void nothingInUseIsUnknown() {
		RedisBackends unused = new RedisBackends((property, name) -> {
			throw new IllegalStateException("Nobody asks for it");
		}, false);
		assertThat(new GeRedisHealthIndicator(unused, List::of).health().getStatus()).isEqualTo(Status.UNKNOWN);
	}

	private static Map<String, Object> unavailable(OutageCause cause) {
		return Map.of("state", "unavailable", "cause", cause.tag(), "hint", cause.hint());
	}

	private static Health check(RedisFixture redis) {
		try (TestBackend backend = TestBackend.on(redis)) {
			return indicator(backend).health();
		}
	}

	private static GeRedisHealthIndicator indicator(TestBackend backend) {
		RedisBackends backends = new RedisBackends((property, name) -> backend::get, false);
		// Starts it once more, which replaces the connection
		backends.get(null);
		backend.awaitWarmUp();
		return new GeRedisHealthIndicator(backends, List::of);
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> details(Health health) {
		return (Map<String, Object>) health.getDetails().get("default");
	}

}
