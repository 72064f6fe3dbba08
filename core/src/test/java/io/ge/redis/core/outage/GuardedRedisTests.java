// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.ge.redis.OutageCause;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptExecutor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link GuardedRedis}.
 */
class GuardedRedisTests {

	private final AbsentConnection connection = new AbsentConnection();

	private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);

	private final ScriptExecutor scripts = new ScriptExecutor(this.connection, (script, nanos, failure) -> {
	});

	private final Breaker breaker = new Breaker("test", this.connection,
			(key) -> CompletableFuture.failedFuture(new IOException()),
			new OutageSettings(Duration.ofSeconds(1), 3, Duration.ofMillis(500), Duration.ofSeconds(30)),
			this.scheduler, new OutageListener() {

				@Override
				public void onFailure(String pattern, OutageCause cause) {
				}

				@Override
				public void onTransition(String breaker, boolean open) {
				}

			});

	private final GuardedRedis redis = new GuardedRedis("test", this.scripts, this.breaker,
			new Compensations(this.scripts, this.breaker, Duration.ZERO));

	@AfterEach
	void stop() {
		this.scheduler.shutdownNow();
	}

	@Test
	void noKeyIsComputedWhileAllAreLetThrough() {
		assertThat(this.redis.isAway()).isFalse();
		assertThat(this.redis.isAway(() -> {
			throw new AssertionError("Asked for the key");
		})).isFalse();
	}

	@Test
	void noKeyIsComputedWhileNoneIsLetThrough() {
		this.breaker.start();
		assertThat(this.redis.isAway()).isTrue();
		assertThat(this.redis.isAway(() -> {
			throw new AssertionError("Asked for the key");
		})).isTrue();
	}

	@Test
	void callsArePatientUntilRedisHasAnswered() {
		ScriptCall call = ScriptCall.of(LuaScript.load(RedisBackend.class, "probe.lua"),
				new KeySpace("ge", "test").entity(KeyPart.of("a")));
		assertThat(this.redis.run(call, this.redis.newBudget())).isCompletedExceptionally();
		assertThat(this.redis.newBudget().remainingNanos()).isEqualTo(Duration.ofSeconds(2).toNanos());
		this.connection.answers = true;
		assertThat(this.redis.run(call, this.redis.newBudget())).isCompleted();
		assertThat(this.redis.newBudget().remainingNanos()).isEqualTo(Duration.ofSeconds(1).toNanos());
		this.breaker.start();
		assertThat(this.redis.newBudget().remainingNanos()).isEqualTo(Duration.ofSeconds(2).toNanos());
	}

	@Test
	void callsAfterTheEndAreClosedAndNoOutage() {
		this.breaker.stop();
		ScriptCall call = ScriptCall.of(LuaScript.load(RedisBackend.class, "probe.lua"),
				new KeySpace("ge", "test").entity(KeyPart.of("a")));
		assertThat(this.redis.run(call, this.redis.newBudget())).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withMessageEndingWith(": closed");
	}

	@Test
	void replyThatCannotBeReadIsARefusalThatNamesTheKey() {
		this.connection.answers = true;
		ScriptCall call = ScriptCall.of(LuaScript.load(RedisBackend.class, "probe.lua"),
				new KeySpace("ge", "test").entity(KeyPart.of("a")));
		assertThat(this.redis.run(call, this.redis.newBudget()).thenApply((reply) -> reply.number(7)))
			.failsWithin(Duration.ofSeconds(5))
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(RedisUnavailableException.class,
					(ex) -> assertThat(ex.reason()).isEqualTo(OutageCause.ERROR))
			.withMessageContaining("'ge:test:{a}'")
			.withMessageContaining("no element 7");
		assertThat(this.breaker.isOpen()).isFalse();
	}

}
