// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.ge.redis.OutageCause;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptExecutor;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CompensationsTests {

	private static final LuaScript SCRIPT = LuaScript.load(RedisBackend.class, "probe.lua");

	private static final Duration BRIEF = Duration.ofMillis(500);

	private final AbsentConnection connection = new AbsentConnection();

	private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);

	private final List<@Nullable String> written = new CopyOnWriteArrayList<>();

	private final Breaker breaker = new Breaker("test", this.connection, (key) -> {
		this.written.add((key != null) ? new String(key) : "no key");
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

	private final Compensations compensations = new Compensations(
			new ScriptExecutor(this.connection, (script, nanos, failure) -> {
			}), this.breaker, BRIEF);

	@BeforeEach
	void open() {
		this.breaker.start();
		assertThat(this.breaker.isOpen()).isTrue();
	}

	@AfterEach
	void stop() {
		this.scheduler.shutdownNow();
	}

	@Test
	void whatIsOverMakesRoomForWhatIsNot() {
		this.compensations.submit(call("ending"), Duration.ofHours(1));
		for (int i = 1; i < Compensations.CAPACITY; i++) {
			this.compensations.submit(call("beat"), BRIEF);
		}
		long over = System.nanoTime() + BRIEF.toNanos();
		Awaitility.await().until(() -> System.nanoTime() - over >= 0);
		this.compensations.submit(call("late"), Duration.ofHours(1));
		assertThat(this.compensations.size()).isEqualTo(2);
		this.connection.answers = true;
		Awaitility.await().until(() -> !this.breaker.isOpen());
		assertThat(this.connection.scripts).hasSize(2);
		assertThat(this.connection.scripts.poll()).contains("ending");
		assertThat(this.connection.scripts.poll()).contains("late");
	}

	@Test
	void whatIsSentBeforeCallsIsNotOvertakenWhereItsScriptIsUnknown() {
		this.compensations.submit(call("unknown"), Duration.ofHours(1));
		this.connection.knowsScripts = false;
		this.connection.answers = true;
		Awaitility.await().until(() -> !this.breaker.isOpen());
		assertThat(this.connection.scripts).singleElement().asString().contains("unknown");
		assertThat(this.connection.refused.get()).isZero();
	}

	@Test
	void whatIsSentAtOnceIsNotOvertakenEither() {
		this.connection.answers = true;
		Awaitility.await().until(() -> !this.breaker.isOpen());
		this.connection.knowsScripts = false;
		this.compensations.submit(call("unknown"), Duration.ofHours(1));
		assertThat(this.connection.scripts).singleElement().asString().contains("unknown");
		assertThat(this.connection.refused.get()).isZero();
	}

	@Test
	void oldestGoesWhereNothingIsOver() {
		for (int i = 0; i < Compensations.CAPACITY; i++) {
			this.compensations.submit(call((i == 0) ? "oldest" : "other"), Duration.ofHours(1));
		}
		this.compensations.submit(call("newest"), Duration.ofHours(1));
		assertThat(this.compensations.size()).isEqualTo(Compensations.CAPACITY);
		this.connection.answers = true;
		Awaitility.await().until(() -> !this.breaker.isOpen());
		assertThat(this.connection.scripts).noneMatch((key) -> key.contains("oldest"));
		assertThat(this.connection.scripts).anyMatch((key) -> key.contains("newest"));
	}

	@Test
	void acknowledgedWritesAreRepeatedOnANewPrimaryUnlessTheirTimeWasOverBeforeTheLastOne() {
		this.connection.answers = true;
		Awaitility.await().until(() -> !this.breaker.isOpen());
		this.compensations.acknowledged(call("early"), 0);
		long over = System.nanoTime() + BRIEF.toNanos();
		Awaitility.await().until(() -> System.nanoTime() - over >= 0);
		this.compensations.acknowledged(call("late"), 0);
		this.compensations.onNewPrimary();
		assertThat(this.compensations.newPrimaries()).isOne();
		assertThat(this.connection.scripts).singleElement().asString().contains("late");
		// Its reply was overtaken by the switch
		this.compensations.acknowledged(call("overtaken"), 0);
		assertThat(this.connection.scripts).hasSize(2).last().asString().contains("overtaken");
	}

	@Test
	void acknowledgedWritesAreRepeatedByTheHundred() {
		this.connection.answers = true;
		Awaitility.await().until(() -> !this.breaker.isOpen());
		for (int i = 0; i < 250; i++) {
			this.compensations.acknowledged(call("write-" + i), 0);
		}
		this.connection.hangs = true;
		this.compensations.onNewPrimary();
		for (int sent : new int[] { 100, 200, 250 }) {
			assertThat(this.connection.late).hasSize(sent);
			this.connection.late.forEach((call) -> call.complete(List.of(1L)));
		}
		assertThat(this.connection.late).hasSize(250);
	}

	@Test
	void whereNoServerCanBeNamedNoSlotDecidesForAll() {
		this.connection.answers = true;
		Awaitility.await().until(() -> !this.breaker.isOpen());
		this.written.clear();
		for (int i = 0; i < 3; i++) {
			this.breaker.failed("lock", null, "of the bad server".getBytes(), OutageCause.TIMEOUT, new IOException());
		}
		Awaitility.await().until(() -> !this.breaker.isOpen());
		assertThat(this.written).containsOnly("no key");
	}

	private static ScriptCall call(String key) {
		return ScriptCall.of(SCRIPT, new KeySpace("ge", "test").entity(KeyPart.of(key)));
	}

}
