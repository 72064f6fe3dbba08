// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.outage;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.outage.ServerFault.Answer;
import io.ge.redis.outage.Promise.CachePromise;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every fault of Redis under every pattern: calls are answered within their budget as
 * their policy says, the breaker opens and closes, the meter names the cause, and when it
 * is over everything stands that was promised.
 */
class ServerFaultsIntegrationTests {

	private static final Consumer<RedisNode> NOTHING_ELSE = (server) -> {
	};

	static List<ServerFault> faults() {
		return Wide.RUN ? List.of(ServerFault.values()) : List.of(ServerFault.BLOCKED, ServerFault.WITHOUT_MEMORY);
	}

	@ParameterizedTest
	@MethodSource("faults")
	@Sized
	void everyPatternKeepsItsPromise(ServerFault fault) {
		assertThat(ServerFaultRun.violations(fault, RedisServers.ofThisRun())).isEmpty();
	}

	@Test
	@Wide
	void everyPatternKeepsItsPromiseOnAnOlderServerWithoutMemory() {
		assertThat(ServerFaultRun.violations(ServerFault.WITHOUT_MEMORY, RedisServers.version("6.2"))).isEmpty();
	}

	@Test
	@Wide
	void isSeenWhereCallsWaitBeyondTheirBudget() {
		assertThat(ServerFaultRun.violators(ServerFault.WRITES_PAUSED, NOTHING_ELSE,
				"ge.redis.outage.command-timeout=6s", "ge.redis.outage.failure-threshold=1"))
			.contains("ratelimit");
	}

	@Test
	@Wide
	void isSeenWhereThePolicyIsAnother() {
		assertThat(ServerFaultRun.violators(ServerFault.WITHOUT_PERMISSION, NOTHING_ELSE,
				"ge.redis.rate-limit.on-outage=deny", "ge.redis.lock.on-outage=allow",
				"ge.redis.idempotency.on-outage=allow", "ge.redis.blacklist.on-outage=allow"))
			.containsExactly("blacklist", "idempotency", "lock", "ratelimit");
	}

	@Test
	@Wide
	void isSeenWhereTheBreakerNeverOpens() {
		assertThat(ServerFaultRun.violators(ServerFault.DEMOTED, NOTHING_ELSE,
				"ge.redis.outage.failure-threshold=1000000"))
			.contains("outage", "blacklist");
	}

	@Test
	@Wide
	void isSeenWhereForgottenScriptsCannotBeSentAgain() {
		assertThat(ServerFaultRun.violators(ServerFault.SCRIPTS_FORGOTTEN, (server) -> server.forbid("eval")))
			.contains("ratelimit", "lock", "idempotency", "blacklist");
	}

	@Test
	@Wide
	void isSeenWhereRedisLosesWhatItHeld() {
		assertThat(ServerFaultRun.violators(ServerFault.CONNECTIONS_KILLED, (server) -> server.command("FLUSHALL")))
			.contains("lock", "idempotency", "blacklist")
			.doesNotContain("cache");
	}

	@Test
	void evictionCostsCachesMissesOnlyAndLocksAreKnownToBeLost() {
		try (StandaloneRedis redis = RedisServers.standalone();
				ConfigurableApplicationContext application = Shop.open(redis.properties(), Duration.ofSeconds(5))) {
			Shop shop = application.getBean(Shop.class);
			CachePromise cache = new CachePromise(application);
			cache.before();
			LockHandle held = cache.await()
				.until(() -> application.getBean(DistributedLocks.class)
					.lock("till", "1", LockOptions.defaults().leaseTime(Duration.ofMillis(1500))), (handle) -> true);
			redis.primary().evict("ge:cache:{prices:tea}:e1", "ge:cache:{prices:tea}:w1", "ge:lock:{till:1}");
			int loads = shop.loads();
			cache.during(Answer.REDIS);
			assertThat(shop.loads()).isGreaterThan(loads);
			cache.after();
			cache.await().until(() -> !held.isValid());
			long next = cache.await().until(() -> shop.count("1", 0), (token) -> token > 0);
			assertThat(next).isGreaterThan(held.token());
			Health health = application.getBean(HealthIndicator.class).health();
			assertThat(health.getStatus()).isEqualTo(Status.UNKNOWN);
			assertThat(health.getDetails().get("default")).asString().contains("allkeys-lru", "noeviction");
		}
	}

}
