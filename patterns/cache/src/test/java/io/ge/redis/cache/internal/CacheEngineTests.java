// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.ge.redis.OutageCause;
import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.internal.engine.CacheInvalidations;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.RedisInvalidations;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.outage.AbsentConnection;
import io.ge.redis.core.outage.Breaker;
import io.ge.redis.core.outage.Compensations;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.outage.OutageListener;
import io.ge.redis.core.outage.OutageSettings;
import io.ge.redis.core.script.ScriptExecutor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CacheEngine}, of which Redis decides nothing.
 */
class CacheEngineTests {

	private final AbsentConnection connection = new AbsentConnection();

	private final Set<Thread> probing = ConcurrentHashMap.newKeySet();

	private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);

	private final ScriptExecutor scripts = new ScriptExecutor(this.connection, (script, nanos, failure) -> {
	});

	private final Breaker breaker = new Breaker("test", this.connection, (key) -> {
		this.probing.add(Thread.currentThread());
		return CompletableFuture.completedFuture(null);
	}, new OutageSettings(Duration.ofSeconds(1), 3, Duration.ofMillis(10), Duration.ofSeconds(30)), this.scheduler,
			new OutageListener() {

				@Override
				public void onFailure(String pattern, OutageCause cause) {
				}

				@Override
				public void onTransition(String breaker, boolean open) {
				}

			});

	private final GuardedRedis redis = new GuardedRedis("cache", this.scripts, this.breaker,
			new Compensations(this.scripts, this.breaker, Duration.ZERO));

	private final KeySpace keys = new KeySpace("ge", "cache");

	private final InstanceBus bus = new InstanceBus(this.connection, this.scheduler, "ge", "instance-1");

	private final CacheEngine engine = new CacheEngine(
			new RedisCache(this.redis, this.keys, this.bus, Duration.ofMinutes(1), (cache) -> false, (cache) -> false),
			new CacheInvalidations(new RedisInvalidations(this.redis, this.keys, this.bus),
					(cache) -> Duration.ofHours(1), Duration.ofSeconds(2)),
			(key) -> {
			});

	@AfterEach
	void stop() {
		this.engine.close();
		this.scheduler.shutdownNow();
	}

	@Test
	void recoveryDoesNotKeepTheThreadThatFoundIt() {
		this.breaker.start();
		for (int i = 0; i < 250; i++) {
			CacheKey key = new CacheKey("c", List.of("k" + i));
			CacheWrite write = new CacheWrite(key, "w" + i, Duration.ofHours(1), false, TransactionBoundary.UNKNOWN,
					this.engine.newBudget());
			assertThat(this.engine.invalidate(write).join()).isEqualTo(CacheEvent.Outcome.DEFERRED);
		}
		this.connection.answers = true;
		Awaitility.await().until(() -> this.engine.journal().size() == 0);
		assertThat(this.connection.scripts).hasSize(250);
		assertThat(this.probing).isNotEmpty();
		assertThat(this.connection.senders).doesNotContainAnyElementsOf(this.probing);
	}

}
