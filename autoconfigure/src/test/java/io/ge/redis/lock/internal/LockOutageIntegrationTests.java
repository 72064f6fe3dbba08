// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import io.ge.redis.OutageCause;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.FencingToken;
import io.ge.redis.lock.LockAcquireEvent;
import io.ge.redis.lock.LockContext;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockLostEvent;
import io.ge.redis.lock.LockLostException;
import io.ge.redis.lock.LockMode;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.TcpProxy;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks on a Redis that hangs, dies, forgets, runs full or cannot be reached. Leases are
 * 30 seconds unless said otherwise, so whatever works sooner was not merely waited out.
 */
class LockOutageIntegrationTests {

	private static final LockOptions WAITING = LockOptions.defaults().waitTime(Duration.ofSeconds(20));

	/** Short enough to run out often, and still more than a busy machine needs. */
	private static final Duration TIMEOUT = Duration.ofMillis(2500);

	private static final String[] BUDGET = { "ge.redis.outage.command-timeout=" + TIMEOUT.toMillis() + "ms" };

	/** A busy machine is no outage. */
	private static final String[] PATIENT = { "ge.redis.outage.command-timeout=5s" };

	private static final Duration SOON = Duration.ofSeconds(8);

	private StandaloneRedis redis;

	private TcpProxy proxy;

	/** Reaches Redis directly. */
	private LockApplication near;

	/** Reaches Redis through the proxy. */
	private LockApplication far;

	@BeforeEach
	void start() {
		this.redis = RedisServers.standalone();
		this.proxy = new TcpProxy(this.redis.primary());
		this.near = LockApplication.start(this.redis.properties(), PATIENT);
		this.far = LockApplication.start(new String[] { "spring.data.redis.host=" + this.proxy.host(),
				"spring.data.redis.port=" + this.proxy.port() }, BUDGET, Desk.class);
		this.near.locks().lock("warm", "up", WAITING).close();
		lockSoon(this.far, 1).close();
	}

	@AfterEach
	void stop() {
		this.near.close();
		this.far.close();
		this.proxy.close();
		this.redis.close();
	}

	@Test
	@Wide
	void acquireOfUnknownOutcomeDoesNotBlockItsKeyAfterwards() {
		this.redis.primary().pause();
		Stopwatch watch = Stopwatch.start();
		assertThatExceptionOfType(RedisUnavailableException.class)
			.isThrownBy(() -> this.far.locks().tryLock("orders", 42))
			.matches((ex) -> ex.reason() == OutageCause.TIMEOUT);
		assertThat(watch.elapsed()).isLessThan(TIMEOUT.plusMillis(500));
		assertThatExceptionOfType(RedisUnavailableException.class)
			.isThrownBy(() -> this.far.locks().tryLock("orders", 43, WAITING));
		this.redis.primary().resume();
		lockSoon(this.near, 42).close();
		lockSoon(this.near, 43).close();
		lockSoon(this.far, 42).close();
		assertThat(this.far.waiting()).isZero();
	}

	@Test
	@Wide
	void waitersForOneLockLearnOfTheOutageTogether() {
		try (LockApplication patient = LockApplication.start(this.redis.properties(),
				new String[] { BUDGET[0], "ge.redis.outage.failure-threshold=1000" })) {
			patient.locks().lock("warm", "up", WAITING).close();
			this.redis.primary().pause();
			Stopwatch watch = Stopwatch.start();
			List<CompletableFuture<LockHandle>> waiters = new ArrayList<>();
			for (int i = 0; i < 10; i++) {
				waiters.add(patient.async(() -> patient.locks().lock("orders", 42, WAITING)));
			}
			for (CompletableFuture<LockHandle> waiter : waiters) {
				assertThatExceptionOfType(CompletionException.class).isThrownBy(waiter::join)
					.withCauseInstanceOf(RedisUnavailableException.class);
			}
			assertThat(watch.elapsed()).isLessThan(TIMEOUT.plusSeconds(1));
			Awaitility.await().until(() -> patient.waiting() == 0);
			this.redis.primary().resume();
			lockSoon(this.far, 42).close();
		}
	}

	@Test
	@Wide
	void takingOfUnknownOutcomeWhatWasSetAsideDoesNotBlockTheKey() {
		LockHandle held = this.near.locks().tryLock("orders", 42).orElseThrow();
		CompletableFuture<LockHandle> waiting = this.far.async(() -> this.far.locks().lock("orders", 42, WAITING));
		awaitQueued(1);
		this.proxy.hang();
		held.close();
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> waiting.orTimeout(10, TimeUnit.SECONDS).join())
			.withCauseInstanceOf(RedisUnavailableException.class);
		this.proxy.resume();
		lockSoon(this.near, 42).close();
		lockSoon(this.far, 42).close();
	}

	@Test
	@Wide
	void holderNeverBelievesInALockThatRedisHasForgotten() {
		LockHandle held = this.far.locks()
			.lock("orders", 42, LockOptions.defaults().leaseTime(Duration.ofMillis(1500)));
		this.proxy.hang();
		Object there = this.redis.primary().command("EXISTS", "ge:lock:{orders:42}");
		while (Long.valueOf(1).equals(there)) {
			there = this.redis.primary().command("EXISTS", "ge:lock:{orders:42}");
		}
		assertThat(held.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::assertHeld);
		Awaitility.await().until(() -> this.far.events(LockLostEvent.class).size() == 1);
		assertThat(this.far.events(LockLostEvent.class).get(0).cause()).isEqualTo(LockLostEvent.Cause.EXPIRED);
		LockHandle next = this.near.locks().tryLock("orders", 42).orElseThrow();
		assertThat(next.token()).isGreaterThan(held.token());
		this.proxy.resume();
		held.close();
		Awaitility.await().until(() -> !this.far.backend().breaker().isOpen());
		assertThat(next.isValid()).isTrue();
		assertThat(this.far.locks().tryLock("orders", 42)).isEmpty();
		next.close();
	}

	@Test
	void holderLearnsAtOnceThatRestartedRedisHasForgotten() {
		LockHandle held = this.near.locks().tryLock("orders", 42).orElseThrow();
		this.redis.primary().kill();
		this.redis.primary().start();
		Awaitility.await().atMost(SOON).until(() -> !held.isValid());
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.near.events(LockLostEvent.class)).extracting(LockLostEvent::cause)
				.containsExactly(LockLostEvent.Cause.NOT_OWNER));
		try (LockHandle next = lockSoon(this.far, 42)) {
			assertThat(next.token()).isGreaterThan(held.token());
		}
		held.close();
	}

	@Test
	@Wide
	void tokensRiseOverRestarts() {
		long last = 0;
		for (int i = 0; i < 3; i++) {
			try (LockHandle lock = lockSoon(this.near, 42)) {
				assertThat(lock.token()).isGreaterThan(last);
				last = lock.token();
			}
			this.redis.primary().kill();
			this.redis.primary().start();
		}
		try (LockHandle lock = lockSoon(this.far, 42)) {
			assertThat(lock.token()).isGreaterThan(last);
		}
	}

	@Test
	void lockSurvivesAShortOutage() {
		LockHandle held = this.far.locks().lock("orders", 42, LockOptions.defaults().leaseTime(Duration.ofSeconds(12)));
		this.proxy.cut();
		Awaitility.await().atMost(SOON).until(() -> held.remaining().toMillis() < 7500);
		this.proxy.resume();
		Awaitility.await().atMost(SOON).until(() -> held.remaining().toMillis() > 11_000);
		assertThat(this.near.locks().tryLock("orders", 42)).isEmpty();
		held.close();
		assertThat(this.far.events(LockLostEvent.class)).isEmpty();
	}

	@Test
	void releaseThatFailsIsMadeGoodWhenRedisIsBack() {
		LockHandle cut = this.far.locks().tryLock("orders", 42).orElseThrow();
		this.proxy.cut();
		cut.close();
		assertThat(cut.isValid()).isFalse();
		assertThat(this.near.locks().tryLock("orders", 42)).isEmpty();
		this.proxy.resume();
		lockSoon(this.near, 42).close();
		LockHandle hung = this.far.locks().lock("orders", 43, WAITING);
		this.proxy.hang();
		hung.close();
		this.proxy.resume();
		lockSoon(this.near, 43).close();
	}

	@Test
	void lostMessageCostsAboutASecond() {
		LockHandle held = this.near.locks().tryLock("orders", 42).orElseThrow();
		CompletableFuture<LockHandle> waiting = this.far.async(() -> this.far.locks().lock("orders", 42, WAITING));
		awaitQueued(1);
		this.redis.primary().command("CLIENT", "KILL", "TYPE", "pubsub");
		Stopwatch watch = Stopwatch.start();
		held.close();
		waiting.orTimeout(10, TimeUnit.SECONDS).join().close();
		assertThat(watch.elapsed()).isLessThan(RedisLocks.GRANT);
	}

	@Test
	void releaseSucceedsWithoutMemoryAndNewLocksAreDenied() {
		LockHandle alone = this.near.locks().tryLock("orders", 42).orElseThrow();
		LockHandle wanted = this.near.locks().tryLock("orders", 43).orElseThrow();
		CompletableFuture<LockHandle> waiting = this.far.async(() -> this.far.locks().lock("orders", 43, WAITING));
		awaitQueued(1, 43);
		this.redis.primary().command("CONFIG", "SET", "maxmemory", "1");
		alone.close();
		assertThat(this.redis.primary().command("EXISTS", "ge:lock:{orders:42}")).isEqualTo(0L);
		assertThatExceptionOfType(RedisUnavailableException.class)
			.isThrownBy(() -> this.near.locks().tryLock("orders", 44))
			.matches((ex) -> ex.reason() == OutageCause.OOM);
		assertThat(this.redis.primary().command("EXISTS", "ge:lock:{orders:44}")).isEqualTo(0L);
		wanted.close();
		LockHandle granted = waiting.orTimeout(10, TimeUnit.SECONDS).join();
		assertThat(granted.token()).isGreaterThan(wanted.token());
		granted.close();
		assertThat(this.redis.primary().command("EXISTS", "ge:lock:{orders:43}")).isEqualTo(0L);
		this.redis.primary().command("CONFIG", "SET", "maxmemory", "0");
		lockSoon(this.near, 43).close();
		assertThat(this.near.events(LockLostEvent.class)).isEmpty();
	}

	@Test
	@Wide
	void sharesAreExtendedAndGivenUpWithoutMemoryAndNewOnesAreDenied() {
		LockOptions reading = LockOptions.defaults().mode(LockMode.READ).leaseTime(Duration.ofSeconds(6));
		LockHandle one = this.near.locks().lock("account", 42, reading);
		LockHandle two = this.near.locks().lock("account", 42, reading);
		CompletableFuture<LockHandle> writer = this.far.async(() -> this.far.locks()
			.lock("account", 42, reading.mode(LockMode.WRITE).waitTime(Duration.ofSeconds(20))));
		Awaitility.await()
			.until(() -> this.redis.primary().command("ZCARD", "ge:lock:{account:42}:w1"), Long.valueOf(1)::equals);
		this.redis.primary().command("CONFIG", "SET", "maxmemory", "1");
		one.close();
		two.close();
		LockHandle granted = writer.orTimeout(10, TimeUnit.SECONDS).join();
		assertThat(granted.token()).isGreaterThan(two.token());
		int before = this.far.scripts();
		Awaitility.await().until(() -> this.far.scripts() > before);
		assertThat(granted.isValid()).isTrue();
		granted.close();
		assertThat(this.redis.primary().command("KEYS", "ge:lock:{account:42}*"))
			.isEqualTo(List.of("ge:lock:{account:42}:f1"));
		assertThatExceptionOfType(RedisUnavailableException.class)
			.isThrownBy(() -> this.near.locks().tryLock("account", 43, reading))
			.matches((ex) -> ex.reason() == OutageCause.OOM);
		assertThat(this.redis.primary().command("KEYS", "ge:lock:{account:43}*")).isEqualTo(List.of());
		this.redis.primary().command("CONFIG", "SET", "maxmemory", "0");
		assertThat(this.near.events(LockLostEvent.class)).isEmpty();
		assertThat(this.far.events(LockLostEvent.class)).isEmpty();
	}

	@Test
	void annotatedMethodsFollowTheirPolicyWhileRedisIsAway() {
		Desk desk = this.far.get(Desk.class);
		assertThat(desk.denied(1)).isPositive();
		assertThat(desk.allowed(1)).isPositive();
		this.proxy.cut();
		for (int i = 0; i < 5; i++) {
			assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> desk.denied(1));
			assertThat(desk.allowed(1)).isZero();
		}
		assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> desk.deniedLater().block());
		assertThat(desk.allowedLater(1).block()).isZero();
		assertThat(this.far.locks().lockAsync("denied", 1, WAITING).toCompletableFuture()).failsWithin(SOON)
			.withThrowableThat()
			.withCauseInstanceOf(RedisUnavailableException.class);
		assertThat(this.far.events(LockAcquireEvent.class)).extracting(LockAcquireEvent::result)
			.endsWith("error", "error");
		this.proxy.resume();
		Awaitility.await().atMost(SOON).until(() -> desk.allowed(1) > 0);
		assertThat(desk.denied(1)).isPositive();
	}

	@Test
	@Wide
	void manyWaitersFailTogetherWithoutFloodingAnybody() {
		LockHandle held = this.near.locks().tryLock("orders", 42).orElseThrow();
		List<CompletableFuture<LockHandle>> waiting = new java.util.ArrayList<>();
		for (int i = 0; i < 50; i++) {
			waiting.add(this.far.async(() -> this.far.locks().lock("orders", 42, WAITING)));
		}
		Awaitility.await().until(() -> this.far.waiting() == 50);
		this.proxy.cut();
		for (CompletableFuture<LockHandle> waiter : waiting) {
			assertThatExceptionOfType(CompletionException.class)
				.isThrownBy(() -> waiter.orTimeout(10, TimeUnit.SECONDS).join())
				.withCauseInstanceOf(RedisUnavailableException.class);
		}
		Awaitility.await().until(() -> this.far.waiting() == 0);
		this.proxy.resume();
		held.close();
		lockSoon(this.far, 42).close();
	}

	private static LockHandle lockSoon(LockApplication application, int key) {
		return Awaitility.await()
			.atMost(SOON)
			.ignoreExceptionsInstanceOf(RedisUnavailableException.class)
			.until(() -> application.locks().tryLock("orders", key), java.util.Optional::isPresent)
			.orElseThrow();
	}

	private void awaitQueued(int instances) {
		awaitQueued(instances, 42);
	}

	private void awaitQueued(int instances, int key) {
		Awaitility.await()
			.until(() -> Long.valueOf(instances)
				.equals(this.redis.primary().command("ZCARD", "ge:lock:{orders:" + key + "}:q1")));
	}

	static class Desk {

		@DistributedLock(name = "denied")
		public long denied(@FencingToken long token) {
			return token;
		}

		@DistributedLock(name = "denied")
		public Mono<Long> deniedLater() {
			return Mono.just(1L);
		}

		@DistributedLock(name = "allowed", onOutage = OutagePolicy.ALLOW)
		public Mono<Long> allowedLater(@FencingToken long token) {
			assertThat(LockContext.current().isValid()).isEqualTo(token > 0);
			return Mono.just(token);
		}

		@DistributedLock(name = "allowed", onOutage = OutagePolicy.ALLOW)
		public long allowed(@FencingToken long token) {
			assertThat(LockContext.current().token()).isEqualTo(token);
			assertThat(LockContext.current().isValid()).isEqualTo(token > 0);
			return token;
		}

	}

}
