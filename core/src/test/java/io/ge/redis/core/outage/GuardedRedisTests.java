// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import io.ge.redis.OutageCause;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.connection.Shard;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptExecutor;
import io.ge.redis.core.script.ScriptReply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
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
 * Tests for {@link GuardedRedis}.
 */
@ExtendWith(OutputCaptureExtension.class)
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
		assertThat(this.redis.isUnavailable()).isFalse();
		assertThat(this.redis.isUnavailable(() -> {
			throw new AssertionError("Asked for the key");
		})).isFalse();
	}

	@Test
	void noKeyIsComputedWhileNoneIsLetThrough() {
		this.breaker.start();
		assertThat(this.redis.isUnavailable()).isTrue();
		assertThat(this.redis.isUnavailable(() -> {
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

	/** As in the table of docs/architecture.md. */
	static Stream<Arguments> servers() {
		Shard server = new OneServer("127.0.0.1:7102");
		return Stream.of(arguments("one server hangs", server, new TimeoutException(), "127.0.0.1:7102"),
				arguments("one server replies with an error", server, new IOException("OOM"), "127.0.0.1:7102"),
				arguments("no server serves the slot", new OneServer("an unserved slot"),
						new IOException("CLUSTERDOWN"), "an unserved slot"),
				arguments("the driver reports no servers", null, new TimeoutException(), "nowhere:1"),
				arguments("the driver reports no servers", null, new IOException("OOM"), "nowhere:1"));
	}

	@ParameterizedTest(name = "{0}, {2}")
	@MethodSource("servers")
	void messagesNameTheServerThatIsMeant(String situation, @Nullable Shard shard, Exception failure, String named,
			CapturedOutput output) {
		this.connection.shard = shard;
		this.connection.failure = failure;
		ScriptCall call = ScriptCall.of(LuaScript.load(RedisBackend.class, "probe.lua"),
				new KeySpace("ge", "test").entity(KeyPart.of("a")));
		List<String> messages = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			messages.add(refusal(this.redis.run(call, this.redis.newBudget())));
		}
		messages.add(refusal(this.redis.run(call, CallBudget.of(Duration.ZERO))));
		messages.add(refusal(this.redis.runReplicated(call,
				new Replication(1, Duration.ofSeconds(1), "The lock 'a'", "Repair the replicas."), (reply) -> true)));
		assertThat(messages).allMatch((message) -> message.startsWith("Redis at " + named + " did not decide"));
		assertThat(output.toString().lines()).filteredOn((line) -> line.contains("outage policies apply"))
			.isNotEmpty()
			.allMatch((line) -> line.contains("Redis (test at " + named + ") "))
			.doesNotHaveDuplicates();
	}

	@Test
	void whereNothingIsConnectedTheConfiguredServersAreNamed() {
		this.connection.shard = new OneServer("127.0.0.1:7102");
		this.breaker.start();
		ScriptCall call = ScriptCall.of(LuaScript.load(RedisBackend.class, "probe.lua"),
				new KeySpace("ge", "test").entity(KeyPart.of("a")));
		assertThat(refusal(this.redis.run(call, this.redis.newBudget()))).startsWith("Redis at nowhere:1 ");
	}

	private static String refusal(CompletableFuture<ScriptReply> call) {
		return call.handle((reply, failure) -> Waiting.cause(failure).getMessage()).join();
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

	/**
	 * The server of all keys.
	 */
	private record OneServer(String server) implements Shard {

		@Override
		public boolean holds(byte[] key) {
			return true;
		}

	}

}
