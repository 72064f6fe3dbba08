// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.OutageCause;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.connection.GuardConnections;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.SentinelRedis;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.TestBackend;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The one door to Redis, with the server broken behind it.
 */
@ExtendWith(OutputCaptureExtension.class)
class OutageIntegrationTests {

	private static final LuaScript SET = LuaScript.load(OutageIntegrationTests.class, "set-once.lua");

	private static final LuaScript DELETE = LuaScript.load(OutageIntegrationTests.class, "delete.lua");

	private static final RedisKey KEY = new KeySpace("ge", "test").entity(KeyPart.of("entity"));

	private static final Duration BUDGET = Duration.ofMillis(400);

	private static final Duration RECOVERY = Duration.ofSeconds(2);

	@Test
	void hangingServerCostsNoMoreThanTheBudgetAndThenNothing(CapturedOutput output) {
		try (StandaloneRedis redis = RedisServers.standalone(); TestBackend backend = on(redis)) {
			awaitSet(backend, "warm");
			redis.primary().pause();
			for (int i = 0; i < 3; i++) {
				assertThat(refusal(backend)).isEqualTo(OutageCause.TIMEOUT);
			}
			assertThat(backend.get().breaker().isOpen()).isTrue();
			assertThat(output).contains("Redis (test at " + redis.primary().address() + ") is unavailable",
					"TIMEOUT, TimeoutException: No answer within ");
			Stopwatch watch = Stopwatch.start();
			for (int i = 0; i < 1000; i++) {
				refusal(backend);
			}
			assertThat(watch.elapsed()).isLessThan(Duration.ofSeconds(1));
			redis.primary().resume();
			awaitRecovery(backend);
		}
	}

	@Test
	void stoppedServerIsNoticedAndItsReturnToo() {
		try (StandaloneRedis redis = RedisServers.standalone(); TestBackend backend = on(redis)) {
			awaitSet(backend, "warm");
			redis.primary().kill();
			Awaitility.await().until(() -> {
				refusal(backend);
				return backend.get().breaker().isOpen();
			});
			redis.primary().start();
			awaitRecovery(backend);
		}
	}

	@Test
	void startsWithServerDown() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			redis.primary().kill();
			try (TestBackend backend = on(redis)) {
				assertThat(refusal(backend)).isEqualTo(OutageCause.REFUSED);
				redis.primary().start();
				awaitRecovery(backend);
			}
		}
	}

	@Test
	void killedConnectionIsReplacedWithoutAnOutage() {
		try (StandaloneRedis redis = RedisServers.standalone(); TestBackend backend = on(redis)) {
			awaitSet(backend, "warm");
			for (int i = 0; i < 20; i++) {
				redis.primary().command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
				Stopwatch.within(RECOVERY, () -> succeeds(backend, "again"));
			}
			assertThat(backend.get().breaker().isOpen()).isFalse();
		}
	}

	@Test
	void commandThatTimedOutIsTakenBackOnTheSameKey() {
		try (StandaloneRedis redis = RedisServers.standalone(); TestBackend backend = on(redis)) {
			awaitSet(backend, "first");
			delete(backend);
			redis.primary().pause();
			GuardedRedis door = backend.get().redis("test");
			CompletableFuture<ScriptReply> lost = door.run(ScriptCall.of(SET, KEY, "lost"), door.newBudget(),
					() -> ScriptCall.of(DELETE, KEY, "lost"), Duration.ofMinutes(1));
			assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> Waiting.await(lost))
				.matches(RedisUnavailableException::isOutcomeUnknown);
			redis.primary().resume();
			Stopwatch.within(RECOVERY, () -> answers(backend, "next", "next"));
		}
	}

	@Test
	void commandThatTimedOutStaysWhereNobodyTakesItBack() {
		try (StandaloneRedis redis = RedisServers.standalone(); TestBackend backend = on(redis)) {
			awaitSet(backend, "first");
			delete(backend);
			redis.primary().pause();
			GuardedRedis door = backend.get().redis("test");
			CompletableFuture<ScriptReply> lost = door.run(ScriptCall.of(SET, KEY, "lost"), door.newBudget());
			assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> Waiting.await(lost));
			redis.primary().resume();
			Stopwatch.within(RECOVERY, () -> answers(backend, "next", "lost"));
		}
	}

	@Test
	void whatWaitedForRedisIsSentBeforeAnyCallIsLetThrough() {
		ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(2);
		CompletableFuture<String> first = new CompletableFuture<>();
		try (StandaloneRedis redis = RedisServers.standalone()) {
			LettuceConnectionFactory factory = redis.connectionFactory();
			AtomicReference<RedisBackend> made = new AtomicReference<>();
			RedisBackend backend = new RedisBackend("test", "ge", null, "instance-1",
					GuardConnections.from(factory, () -> null),
					new OutageSettings(Duration.ofSeconds(5), 3, Duration.ofMillis(50), Duration.ofSeconds(30)),
					scheduler, (script, nanos, failure) -> {
					}, new FirstCall(made, first));
			made.set(backend);
			redis.primary().kill();
			backend.start(false);
			Awaitility.await().until(backend.breaker()::isOpen);
			backend.redis("test").compensate(ScriptCall.of(SET, KEY, "waited"), Duration.ofMinutes(1));
			redis.primary().start();
			assertThat(first.orTimeout(10, TimeUnit.SECONDS).join()).isEqualTo("waited");
			backend.stop();
			factory.destroy();
		}
		finally {
			scheduler.shutdownNow();
		}
	}

	@Test
	void serverWithoutMemoryIsNoOutageOfTheConnection() {
		try (StandaloneRedis redis = RedisServers.standalone(); TestBackend backend = TestBackend.on(redis)) {
			awaitSet(backend, "stored");
			redis.primary().command("CONFIG", "SET", "maxmemory", "1");
			for (int i = 0; i < 5; i++) {
				GuardedRedis door = backend.get().redis("test");
				RedisKey other = new KeySpace("ge", "test").entity(KeyPart.of("other"));
				CompletableFuture<ScriptReply> full = door.run(ScriptCall.of(SET, other, "new"), door.newBudget());
				assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> Waiting.await(full))
					.matches((ex) -> ex.reason() == OutageCause.OOM);
			}
			assertThat(backend.get().breaker().isOpen()).isFalse();
			delete(backend);
		}
	}

	@Test
	void userWithoutPermissionIsNamedAsTheCause() {
		try (StandaloneRedis redis = RedisServers.standalone(); TestBackend backend = TestBackend.on(redis)) {
			awaitSet(backend, "stored");
			redis.primary().command("ACL", "SETUSER", "default", "-evalsha");
			assertThat(refusal(backend)).isEqualTo(OutageCause.NOPERM);
		}
	}

	@Test
	@Wide
	void demotedPrimaryIsLeftForTheNewOne() {
		try (SentinelRedis redis = RedisServers.sentinel(); TestBackend backend = on(redis)) {
			awaitSet(backend, "warm");
			RedisNode former = redis.primary();
			former.pause();
			redis.awaitFailover(former);
			Stopwatch.within(Duration.ofSeconds(5), () -> succeeds(backend, "warm"));
			former.resume();
		}
	}

	@Test
	void demotedServerThatAnswersPingsStaysAwayUntilItTakesWrites() {
		try (StandaloneRedis redis = RedisServers.standalone(); TestBackend backend = on(redis)) {
			awaitSet(backend, "warm");
			redis.primary().command("REPLICAOF", "127.0.0.1", "1");
			Awaitility.await().until(() -> {
				refusal(backend);
				return backend.get().breaker().isOpen();
			});
			Awaitility.await()
				.pollInterval(Duration.ofMillis(1))
				.during(Duration.ofSeconds(1))
				.until(() -> backend.get().breaker().isOpen());
			redis.primary().command("REPLICAOF", "NO", "ONE");
			awaitRecovery(backend);
		}
	}

	@Test
	void worksAgainAfterItWasStoppedAndStarted() {
		try (StandaloneRedis redis = RedisServers.standalone(); TestBackend backend = on(redis)) {
			awaitSet(backend, "warm");
			Awaitility.await().until(() -> backend.get().bus().isSubscribed());
			AtomicInteger recovered = new AtomicInteger();
			backend.get().onRecovery(recovered::incrementAndGet);
			// Has a breaker of its own
			backend.get().forConsumers();
			backend.get().stop();
			assertThat(refusal(backend)).isEqualTo(OutageCause.CLOSED);
			assertThat(backend.get().bus().isSubscribed()).isFalse();
			backend.restart();
			// Otherwise nobody would do what was put off while it was stopped
			Awaitility.await().until(() -> recovered.get() == 2);
			awaitRecovery(backend);
			Awaitility.await().until(() -> backend.get().bus().isSubscribed());
		}
	}

	private static TestBackend on(RedisFixture redis) {
		return TestBackend.on(redis.connectionFactory(), "instance-1", BUDGET);
	}

	/** A busy machine may need longer than the budget for the first commands. */
	private static void awaitSet(TestBackend backend, String value) {
		Awaitility.await().until(() -> succeeds(backend, value));
	}

	private static String set(TestBackend backend, String value) {
		GuardedRedis door = backend.get().redis("test");
		return Waiting.await(door.run(ScriptCall.of(SET, KEY, value), door.newBudget())).text(0);
	}

	private static boolean succeeds(TestBackend backend, String value) {
		return answers(backend, value, null);
	}

	private static boolean answers(TestBackend backend, String value, @Nullable String expected) {
		try {
			String stored = set(backend, value);
			return expected == null || expected.equals(stored);
		}
		catch (RedisUnavailableException ex) {
			return false;
		}
	}

	private static void delete(TestBackend backend) {
		GuardedRedis door = backend.get().redis("test");
		Awaitility.await().ignoreExceptionsInstanceOf(RedisUnavailableException.class).until(() -> {
			Waiting.await(door.run(ScriptCall.of(DELETE, KEY, "first"), door.newBudget()));
			return true;
		});
	}

	private static OutageCause refusal(TestBackend backend) {
		try {
			set(backend, "refused");
		}
		catch (RedisUnavailableException ex) {
			return ex.reason();
		}
		throw new AssertionError("The command succeeded");
	}

	private static void awaitRecovery(TestBackend backend) {
		Stopwatch.within(RECOVERY, () -> succeeds(backend, "back"));
		assertThat(backend.get().breaker().isOpen()).isFalse();
	}

	/** Calls as soon as calls are let through. */
	private record FirstCall(AtomicReference<RedisBackend> backend,
			CompletableFuture<String> answer) implements OutageListener {

		@Override
		public void onFailure(String pattern, OutageCause cause) {
		}

		@Override
		public void onTransition(String breaker, boolean open) {
			if (!open) {
				GuardedRedis door = this.backend.get().redis("test");
				door.run(ScriptCall.of(SET, KEY, "new"), door.newBudget())
					.thenAccept((reply) -> this.answer.complete(reply.text(0)));
			}
		}

	}

}
