/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.TestBackend;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What claims promise on every kind of Redis.
 */
abstract class IdempotencyContract {

	private static final IdempotencySettings SALES = IdempotencySettings.of("sales");

	private static final IdempotencySettings BRIEF = with(Duration.ofMillis(100), IdempotencyScope.PRINCIPAL);

	private RedisFixture redis;

	private TestBackend backend;

	private IdempotencyEngine engine;

	/** Without heartbeats, as a process that is paused. */
	private RedisIdempotency claims;

	@BeforeEach
	void connect(RedisFixture redis) {
		this.redis = redis;
		this.backend = TestBackend.on(redis);
		this.claims = new RedisIdempotency(this.backend.get().redis("idempotency"),
				this.backend.get().keys("idempotency"), "instance-1");
		this.engine = new IdempotencyEngine(this.claims, new Heartbeats(this.claims::beat));
	}

	@AfterEach
	void disconnect() {
		this.engine.stop();
		this.backend.close();
	}

	@Test
	void firstCallIsTwoScriptCallsAndEachRepetitionOne() {
		end(claim("warm"), new Ending.Complete(new byte[0]));
		claim("warm");
		this.redis.configResetStat();
		end(claim("key"), new Ending.Complete(bytes("sold")));
		assertThat(this.redis.commandCalls("evalsha")).isEqualTo(2);
		assertThat(claim("key")).isInstanceOfSatisfying(Claim.Completed.class,
				(completed) -> assertThat(completed.result()).isEqualTo(bytes("sold")));
		assertThat(this.redis.commandCalls("evalsha")).isEqualTo(3);
		assertThat(this.redis.commandCalls("eval")).isZero();
	}

	@Test
	void grantsOneOfManyParallelClaims() {
		List<CompletableFuture<Claim>> calls = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			calls.add(this.engine.claim(request(SALES, "anna", "key", "payload")).toCompletableFuture());
		}
		List<Claim> answers = calls.stream().<Claim>map(Waiting::await).toList();
		assertThat(answers).filteredOn(Claim.Granted.class::isInstance).hasSize(1);
		assertThat(answers).filteredOn(Claim.InFlight.class::isInstance).hasSize(49).allSatisfy((answer) -> {
			Duration left = ((Claim.InFlight) answer).leaseLeft();
			assertThat(left).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
		});
	}

	@Test
	void otherPayloadIsAMismatchInEveryState() {
		Claim running = claim("key");
		assertThat(claim(SALES, "anna", "key", "other")).isInstanceOf(Claim.Mismatch.class);
		end(running, new Ending.Complete(null));
		assertThat(claim(SALES, "anna", "key", "other")).isInstanceOf(Claim.Mismatch.class);
		end(claim("closed"), new Ending.Unknown());
		assertThat(claim(SALES, "anna", "closed", "other")).isInstanceOf(Claim.Mismatch.class);
	}

	@Test
	void releasedKeyMayBeClaimedWithAnotherPayloadAndAHigherFence() {
		Claim first = claim("key");
		assertThat(end(first, new Ending.Release())).isTrue();
		Claim second = claim(SALES, "anna", "key", "other");
		assertThat(fence(second)).isGreaterThan(fence(first));
		assertThat(end(first, new Ending.Complete(null))).isFalse();
		assertThat(end(second, new Ending.Complete(null))).isTrue();
	}

	@Test
	void unknownOutcomeStays() {
		end(claim("key"), new Ending.Unknown());
		assertThat(claim("key")).isInstanceOf(Claim.Unknown.class);
		assertThat(claim("key")).isInstanceOf(Claim.Unknown.class);
	}

	@Test
	void resultThatWasNotKeptIsKnownToBeComplete() {
		end(claim("key"), new Ending.Complete(null));
		assertThat(claim("key")).isEqualTo(new Claim.Completed(null));
	}

	@Test
	void keyIsTakenOverAfterTheLeaseAndTheFormerOwnerIsRefused() {
		Claim.Granted paused = granted(Waiting.await(this.claims.claim(request(BRIEF, "anna", "key", "payload"))));
		Claim.Granted next = granted(Awaitility.await()
			.until(() -> Waiting.await(this.claims.claim(request(BRIEF, "anna", "key", "payload"))),
					Claim.Granted.class::isInstance));
		assertThat(next.handle().fence()).isGreaterThan(paused.handle().fence());
		assertThat(Waiting.await(this.claims.beat(paused))).isFalse();
		for (Ending ending : List.of(new Ending.Complete(bytes("late")), new Ending.Release(), new Ending.Unknown())) {
			assertThat(Waiting.await(this.claims.end(paused, ending))).as(ending.toString()).isFalse();
		}
		assertThat(Waiting.await(this.claims.end(next, new Ending.Complete(bytes("in time"))))).isTrue();
		assertThat(Waiting.await(this.claims.claim(request(BRIEF, "anna", "key", "payload")))).isInstanceOfSatisfying(
				Claim.Completed.class, (completed) -> assertThat(completed.result()).isEqualTo(bytes("in time")));
	}

	@Test
	void ownerThatWasCutOffForLongerThanItsLeaseIsNotOvertakenByWhoAsksFirst() {
		Claim.Granted cutOff = granted(Waiting.await(this.claims.claim(request(BRIEF, "anna", "key", "payload"))));
		await(Duration.ofMillis(150));
		assertThat(Waiting.await(this.claims.claim(request(BRIEF, "anna", "key", "payload")))).isInstanceOfSatisfying(
				Claim.InFlight.class,
				(inFlight) -> assertThat(inFlight.leaseLeft()).isBetween(Duration.ofNanos(1), BRIEF.lease()));
		assertThat(Waiting.await(this.claims.end(cutOff, new Ending.Complete(bytes("sold"))))).isTrue();
		assertThat(Waiting.await(this.claims.claim(request(BRIEF, "anna", "key", "payload")))).isInstanceOfSatisfying(
				Claim.Completed.class, (completed) -> assertThat(completed.result()).isEqualTo(bytes("sold")));
	}

	@Test
	void ownerThatIsLateButNotReplacedStillEnds() {
		Claim.Granted late = granted(Waiting.await(this.claims.claim(request(BRIEF, "anna", "key", "payload"))));
		await(Duration.ofMillis(150));
		assertThat(Waiting.await(this.claims.beat(late))).isTrue();
		await(Duration.ofMillis(150));
		assertThat(Waiting.await(this.claims.end(late, new Ending.Complete(null)))).isTrue();
	}

	@Test
	void heartbeatProlongsTheLeaseWhileTheCallRuns() {
		IdempotencyRequest request = request(with(Duration.ofSeconds(3), IdempotencyScope.PRINCIPAL), "anna", "key",
				"payload");
		Claim running = Waiting.await(this.engine.claim(request));
		for (int beat = 1; beat <= 2; beat++) {
			AtomicReference<Duration> lowest = new AtomicReference<>(Duration.ofSeconds(3));
			Awaitility.await("beat " + beat).pollInterval(Duration.ofMillis(50)).until(() -> {
				Duration left = leaseLeft(request);
				return left.compareTo(lowest.getAndUpdate((low) -> (left.compareTo(low) < 0) ? left : low)) > 0;
			});
		}
		assertThat(end(running, new Ending.Complete(null))).isTrue();
	}

	private Duration leaseLeft(IdempotencyRequest request) {
		Claim claim = Waiting.await(this.claims.claim(request));
		assertThat(claim).isInstanceOf(Claim.InFlight.class);
		return ((Claim.InFlight) claim).leaseLeft();
	}

	@Test
	void completionOfARecordThatWasLostIsStored() {
		Claim running = claim("key");
		this.redis.flushAll();
		assertThat(end(running, new Ending.Complete(bytes("sold")))).isTrue();
		assertThat(claim("key")).isInstanceOf(Claim.Completed.class);
	}

	@Test
	void principalsAnonymousCallersAndGlobalKeysAreApart() {
		IdempotencySettings global = with(Duration.ofSeconds(30), IdempotencyScope.GLOBAL);
		List<Claim> claims = List.of(claim(SALES, "anna", "key", "payload"), claim(SALES, "boris", "key", "payload"),
				claim(SALES, null, "key", "payload"), claim(SALES, "", "key", "payload"),
				claim(global, null, "key", "payload"),
				claim(IdempotencySettings.of("refunds"), "anna", "key", "payload"),
				claim(SALES, "anna:key", "key", "payload"),
				Waiting.await(this.engine
					.claim(new IdempotencyRequest(SALES, "anna", List.of("key", "key"), Fingerprints.of("payload")))),
				Waiting.await(this.engine
					.claim(new IdempotencyRequest(SALES, "anna", List.of("key:key"), Fingerprints.of("payload")))));
		assertThat(claims).allMatch(Claim.Granted.class::isInstance);
	}

	@Test
	void neitherKeyNorPrincipalIsReadableInRedis() {
		claim(SALES, "anna", "order-4711", "payload");
		List<Object> keys = new ArrayList<>();
		this.redis.endpoints().forEach((node) -> keys.addAll((List<?>) node.command("KEYS", "*")));
		assertThat(keys).isNotEmpty()
			.allSatisfy((key) -> assertThat(key.toString()).startsWith("ge:idempotency:{sales:p:")
				.endsWith("}:1")
				.doesNotContain("4711", "anna"));
	}

	@Test
	void retentionCountsFromTheEnd() {
		IdempotencySettings settings = new IdempotencySettings("short", Duration.ofMillis(1000), Duration.ofMillis(800),
				IdempotencyScope.GLOBAL, true, FailureWithoutTransaction.UNKNOWN, OutagePolicy.DENY);
		Claim running = claim(settings, null, "key", "payload");
		await(Duration.ofMillis(1100));
		end(running, new Ending.Complete(bytes("sold")));
		assertThat(claim(settings, null, "key", "payload")).isInstanceOf(Claim.Completed.class);
		Awaitility.await()
			.until(() -> this.redis.endpoints()
				.stream()
				.allMatch((node) -> Long.valueOf(0).equals(node.command("DBSIZE"))));
	}

	private Claim claim(String key) {
		return claim(SALES, "anna", key, "payload");
	}

	private Claim claim(IdempotencySettings settings, @Nullable String principal, String key, String payload) {
		return Waiting.await(this.engine.claim(request(settings, principal, key, payload)));
	}

	private boolean end(Claim claim, Ending ending) {
		return Waiting.await(this.engine.end(granted(claim), ending));
	}

	private static Claim.Granted granted(Claim claim) {
		assertThat(claim).isInstanceOf(Claim.Granted.class);
		return (Claim.Granted) claim;
	}

	private static long fence(Claim claim) {
		return granted(claim).handle().fence();
	}

	private static IdempotencyRequest request(IdempotencySettings settings, @Nullable String principal, String key,
			String payload) {
		return new IdempotencyRequest(settings, principal, List.of(key), Fingerprints.of(payload));
	}

	private static IdempotencySettings with(Duration lease, IdempotencyScope scope) {
		return new IdempotencySettings("sales", Duration.ofHours(1), lease, scope, true,
				FailureWithoutTransaction.UNKNOWN, OutagePolicy.DENY);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static void await(Duration duration) {
		long end = System.nanoTime() + duration.toNanos();
		Awaitility.await().pollInterval(Duration.ofMillis(5)).until(() -> System.nanoTime() - end >= 0);
	}

}
