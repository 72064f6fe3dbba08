// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.idempotency.FailureWithoutTransaction;
import io.ge.redis.idempotency.IdempotencyRecord;
import io.ge.redis.idempotency.IdempotencyScope;
import io.ge.redis.idempotency.IdempotencySettings;
import io.ge.redis.idempotency.OnDuplicate;
import io.ge.redis.idempotency.UnknownOutcome;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Sized;
import io.ge.redis.test.TestBackend;
import io.ge.redis.test.Wide;
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

	private static final IdempotencySettings WAITING = new IdempotencySettings("sales", Duration.ofHours(1),
			Duration.ofSeconds(30), IdempotencyScope.PRINCIPAL, true, OnDuplicate.WAIT, Duration.ofSeconds(20),
			FailureWithoutTransaction.UNKNOWN, UnknownOutcome.BLOCK, OutagePolicy.DENY);

	private RedisFixture redis;

	private TestBackend backend;

	private IdempotencyEngine engine;

	private Waiters waiters;

	/** Without heartbeats, as a process that is paused. */
	private RedisIdempotency claims;

	@BeforeEach
	void connect(RedisFixture redis) {
		this.redis = redis;
		this.backend = TestBackend.on(redis);
		this.claims = new RedisIdempotency(this.backend.get().redis("idempotency"),
				this.backend.get().keys("idempotency"), "instance-1", this.backend.get().bus().channel());
		// Woken by nothing but messages
		this.waiters = new Waiters(Duration.ofMinutes(1));
		this.backend.get().bus().handle("idempotency", this.waiters::wake);
		this.engine = new IdempotencyEngine(this.claims, this.waiters);
	}

	@AfterEach
	void disconnect() {
		this.engine.stop();
		this.backend.close();
	}

	@Test
	void firstCallIsTwoScriptCallsAndEachRepetitionOne() {
		end(claim("warm"), new IdempotencyDecision.Completed(new byte[0]));
		claim("warm");
		this.redis.configResetStat();
		end(claim("key"), new IdempotencyDecision.Completed(bytes("sold")));
		assertThat(this.redis.commandCalls("evalsha")).isEqualTo(2);
		assertThat(claim("key")).isInstanceOfSatisfying(IdempotencyDecision.Completed.class,
				(completed) -> assertThat(completed.result()).isEqualTo(bytes("sold")));
		assertThat(this.redis.commandCalls("evalsha")).isEqualTo(3);
		assertThat(this.redis.commandCalls("eval")).isZero();
	}

	@Test
	void grantsOneOfManyParallelClaimsWithOneCommand() {
		claim("warm");
		this.redis.configResetStat();
		List<CompletableFuture<IdempotencyDecision>> calls = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			calls.add(this.engine.claim(request(SALES, "anna", "key", "payload"), null).toCompletableFuture());
		}
		List<IdempotencyDecision> answers = calls.stream().<IdempotencyDecision>map(Waiting::await).toList();
		assertThat(this.redis.commandCalls("evalsha")).isEqualTo(1);
		assertThat(answers).filteredOn(IdempotencyDecision.Granted.class::isInstance).hasSize(1);
		assertThat(answers).filteredOn(IdempotencyDecision.InFlight.class::isInstance)
			.hasSize(49)
			.allSatisfy((answer) -> {
				Duration left = ((IdempotencyDecision.InFlight) answer).leaseLeft();
				assertThat(left).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
			});
	}

	@Test
	void otherPayloadIsAMismatchInEveryState() {
		IdempotencyDecision running = claim("key");
		assertThat(claim(SALES, "anna", "key", "other")).isInstanceOf(IdempotencyDecision.Mismatch.class);
		end(running, new IdempotencyDecision.Completed(null));
		assertThat(claim(SALES, "anna", "key", "other")).isInstanceOf(IdempotencyDecision.Mismatch.class);
		end(claim("closed"), new IdempotencyDecision.Unknown());
		assertThat(claim(SALES, "anna", "closed", "other")).isInstanceOf(IdempotencyDecision.Mismatch.class);
	}

	@Test
	void releasedKeyMayBeClaimedWithAnotherPayloadAndAHigherFence() {
		IdempotencyDecision first = claim("key");
		assertThat(end(first, new IdempotencyDecision.Release())).isTrue();
		IdempotencyDecision second = claim(SALES, "anna", "key", "other");
		assertThat(fence(second)).isGreaterThan(fence(first));
		assertThat(end(first, new IdempotencyDecision.Completed(null))).isFalse();
		assertThat(end(second, new IdempotencyDecision.Completed(null))).isTrue();
	}

	@Test
	void unknownOutcomeStays() {
		end(claim("key"), new IdempotencyDecision.Unknown());
		assertThat(claim("key")).isInstanceOf(IdempotencyDecision.Unknown.class);
		assertThat(claim("key")).isInstanceOf(IdempotencyDecision.Unknown.class);
	}

	@Test
	void resultThatWasNotKeptIsKnownToBeComplete() {
		end(claim("key"), new IdempotencyDecision.Completed(null));
		assertThat(claim("key")).isEqualTo(new IdempotencyDecision.Completed(null));
	}

	@Test
	void keyIsTakenOverAfterTheLeaseAndTheFormerOwnerIsRefused() {
		IdempotencyDecision.Granted paused = granted(
				Waiting.await(claimApart(request(BRIEF, "anna", "key", "payload"))));
		IdempotencyDecision.Granted next = granted(Awaitility.await()
			.until(() -> Waiting.await(claimApart(request(BRIEF, "anna", "key", "payload"))),
					IdempotencyDecision.Granted.class::isInstance));
		assertThat(next.fence()).isGreaterThan(paused.fence());
		assertThat(Waiting.await(this.claims.beat(paused))).isFalse();
		for (IdempotencyDecision.Ending ending : List.of(new IdempotencyDecision.Completed(bytes("late")),
				new IdempotencyDecision.Release(), new IdempotencyDecision.Unknown())) {
			assertThat(Waiting.await(this.claims.end(paused, ending))).as(ending.toString()).isFalse();
		}
		assertThat(Waiting.await(this.claims.end(next, new IdempotencyDecision.Completed(bytes("in time"))))).isTrue();
		assertThat(Waiting.await(claimApart(request(BRIEF, "anna", "key", "payload")))).isInstanceOfSatisfying(
				IdempotencyDecision.Completed.class,
				(completed) -> assertThat(completed.result()).isEqualTo(bytes("in time")));
	}

	@Test
	void ownerThatWasCutOffForLongerThanItsLeaseIsNotOvertakenByWhoAsksFirst() {
		IdempotencyDecision.Granted cutOff = granted(
				Waiting.await(claimApart(request(BRIEF, "anna", "key", "payload"))));
		await(Duration.ofMillis(150));
		assertThat(Waiting.await(claimApart(request(BRIEF, "anna", "key", "payload")))).isInstanceOfSatisfying(
				IdempotencyDecision.InFlight.class,
				(inFlight) -> assertThat(inFlight.leaseLeft()).isBetween(Duration.ofNanos(1), BRIEF.lease()));
		assertThat(Waiting.await(this.claims.end(cutOff, new IdempotencyDecision.Completed(bytes("sold"))))).isTrue();
		assertThat(Waiting.await(claimApart(request(BRIEF, "anna", "key", "payload")))).isInstanceOfSatisfying(
				IdempotencyDecision.Completed.class,
				(completed) -> assertThat(completed.result()).isEqualTo(bytes("sold")));
	}

	@Test
	void ownerThatIsLateButNotReplacedStillEnds() {
		IdempotencyDecision.Granted late = granted(Waiting.await(claimApart(request(BRIEF, "anna", "key", "payload"))));
		await(Duration.ofMillis(150));
		assertThat(Waiting.await(this.claims.beat(late))).isTrue();
		await(Duration.ofMillis(150));
		assertThat(Waiting.await(this.claims.end(late, new IdempotencyDecision.Completed(null)))).isTrue();
	}

	@Test
	@Sized
	void heartbeatProlongsTheLeaseWhileTheCallRuns() {
		IdempotencyRequest request = request(with(Duration.ofSeconds(3), IdempotencyScope.PRINCIPAL), "anna", "key",
				"payload");
		IdempotencyDecision running = Waiting.await(this.engine.claim(request, null));
		for (int beat = 1; beat <= (Wide.RUN ? 2 : 1); beat++) {
			AtomicReference<Duration> lowest = new AtomicReference<>(Duration.ofSeconds(3));
			Awaitility.await("beat " + beat).pollInterval(Duration.ofMillis(50)).until(() -> {
				Duration left = leaseLeft(request);
				return left.compareTo(lowest.getAndUpdate((low) -> (left.compareTo(low) < 0) ? left : low)) > 0;
			});
		}
		assertThat(end(running, new IdempotencyDecision.Completed(null))).isTrue();
	}

	private Duration leaseLeft(IdempotencyRequest request) {
		IdempotencyDecision claim = Waiting.await(claimApart(request));
		assertThat(claim).isInstanceOf(IdempotencyDecision.InFlight.class);
		return ((IdempotencyDecision.InFlight) claim).leaseLeft();
	}

	@Test
	void completionOfARecordThatWasLostIsStored() {
		IdempotencyDecision running = claim("key");
		this.redis.flushAll();
		assertThat(end(running, new IdempotencyDecision.Completed(bytes("sold")))).isTrue();
		assertThat(claim("key")).isInstanceOf(IdempotencyDecision.Completed.class);
	}

	@Test
	void principalsAnonymousCallersAndGlobalKeysAreApart() {
		IdempotencySettings global = with(Duration.ofSeconds(30), IdempotencyScope.GLOBAL);
		List<IdempotencyDecision> claims = List.of(claim(SALES, "anna", "key", "payload"),
				claim(SALES, "boris", "key", "payload"), claim(SALES, null, "key", "payload"),
				claim(SALES, "", "key", "payload"), claim(global, null, "key", "payload"),
				claim(IdempotencySettings.of("refunds"), "anna", "key", "payload"),
				claim(SALES, "anna:key", "key", "payload"),
				Waiting
					.await(this.engine.claim(new IdempotencyRequest(SALES, new IdempotencyRequest.Caller(null, "anna"),
							List.of("key", "key"), Fingerprints.of("payload")), null)),
				Waiting
					.await(this.engine.claim(new IdempotencyRequest(SALES, new IdempotencyRequest.Caller(null, "anna"),
							List.of("key:key"), Fingerprints.of("payload")), null)));
		assertThat(claims).allMatch(IdempotencyDecision.Granted.class::isInstance);
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
	@Sized
	void retentionCountsFromTheEnd() {
		Duration retention = Duration.ofMillis(Wide.RUN ? 3000 : 1500);
		IdempotencySettings settings = new IdempotencySettings("short", retention, retention.minusMillis(500),
				IdempotencyScope.GLOBAL, true, OnDuplicate.CONFLICT, Duration.ofSeconds(5),
				FailureWithoutTransaction.UNKNOWN, UnknownOutcome.BLOCK, OutagePolicy.DENY);
		IdempotencyDecision running = claim(settings, null, "key", "payload");
		await(retention.plusMillis(100));
		end(running, new IdempotencyDecision.Completed(bytes("sold")));
		assertThat(claim(settings, null, "key", "payload")).isInstanceOf(IdempotencyDecision.Completed.class);
		Awaitility.await()
			.until(() -> this.redis.endpoints()
				.stream()
				.allMatch((node) -> List.of().equals(node.command("KEYS", "ge:idempotency:*"))));
	}

	@Test
	void repetitionsInTheInstanceOfTheFirstCallCostNothing() {
		IdempotencyDecision running = claim("key");
		this.redis.configResetStat();
		for (int i = 0; i < 20; i++) {
			assertThat(claim("key")).isInstanceOf(IdempotencyDecision.InFlight.class);
			assertThat(claim(SALES, "anna", "key", "other")).isInstanceOf(IdempotencyDecision.Mismatch.class);
		}
		assertThat(this.redis.commandCalls("evalsha")).isZero();
		end(running, new IdempotencyDecision.Completed(bytes("sold")));
		assertThat(claim("key")).isInstanceOf(IdempotencyDecision.Completed.class);
		assertThat(this.redis.commandCalls("evalsha")).isEqualTo(2);
	}

	@Test
	void repetitionsThatWaitGetTheResultWithoutACommand() {
		IdempotencyDecision running = claim(WAITING, "anna", "key", "payload");
		this.redis.configResetStat();
		List<CompletableFuture<IdempotencyDecision>> waiting = claimAll(WAITING);
		assertThat(waiting).noneMatch(CompletableFuture::isDone);
		end(running, new IdempotencyDecision.Completed(bytes("sold")));
		assertThat(waiting).allSatisfy(
				(claim) -> assertThat(Waiting.await(claim)).isInstanceOfSatisfying(IdempotencyDecision.Completed.class,
						(completed) -> assertThat(completed.result()).isEqualTo(bytes("sold"))));
		assertThat(this.redis.commandCalls("evalsha")).isEqualTo(1);
	}

	@Test
	void repetitionsThatWaitAreToldOfAnUnknownOutcome() {
		IdempotencyDecision running = claim(WAITING, "anna", "key", "payload");
		List<CompletableFuture<IdempotencyDecision>> waiting = claimAll(WAITING);
		end(running, new IdempotencyDecision.Unknown());
		assertThat(waiting)
			.allSatisfy((claim) -> assertThat(Waiting.await(claim)).isInstanceOf(IdempotencyDecision.Unknown.class));
	}

	@Test
	void oneOfThoseThatWaitRunsWhenTheKeyIsFreed() {
		IdempotencyDecision running = claim(WAITING, "anna", "key", "payload");
		List<CompletableFuture<IdempotencyDecision>> waiting = claimAll(WAITING);
		this.redis.configResetStat();
		end(running, new IdempotencyDecision.Release());
		Awaitility.await().until(() -> waiting.stream().filter(CompletableFuture::isDone).count() == 1);
		CompletableFuture<IdempotencyDecision> next = waiting.stream()
			.filter(CompletableFuture::isDone)
			.findFirst()
			.orElseThrow();
		end(Waiting.await(next), new IdempotencyDecision.Completed(null));
		assertThat(waiting).filteredOn((claim) -> claim != next)
			.hasSize(49)
			.allSatisfy((claim) -> assertThat(Waiting.await(claim)).isInstanceOf(IdempotencyDecision.Completed.class));
		assertThat(this.redis.commandCalls("evalsha")).isEqualTo(3);
	}

	@Test
	void whoWaitsInAnotherInstanceIsWokenByTheEnd() {
		for (IdempotencyDecision.Ending ending : List.of(new IdempotencyDecision.Completed(bytes("sold")),
				new IdempotencyDecision.Unknown(), new IdempotencyDecision.Release())) {
			IdempotencyDecision.Granted elsewhere = granted(
					Waiting.await(claimApart(request(WAITING, "anna", "key", "payload"))));
			CompletableFuture<IdempotencyDecision> waiting = this.engine
				.claim(request(WAITING, "anna", "key", "payload"), null)
				.toCompletableFuture();
			Awaitility.await("waits in Redis").until(() -> exists(elsewhere.key().all().get(1)));
			assertThat(waiting).isNotDone();
			assertThat(Waiting.await(this.claims.end(elsewhere, ending))).isTrue();
			IdempotencyDecision answer = Waiting.await(waiting);
			if (ending instanceof IdempotencyDecision.Completed) {
				assertThat(answer).isInstanceOf(IdempotencyDecision.Completed.class);
			}
			else if (ending instanceof IdempotencyDecision.Unknown) {
				assertThat(answer).isInstanceOf(IdempotencyDecision.Unknown.class);
			}
			else {
				end(answer, new IdempotencyDecision.Release());
			}
			assertThat(exists(elsewhere.key().all().get(1))).isFalse();
			this.redis.flushAll();
		}
		Awaitility.await().until(this.waiters::isEmpty);
	}

	@Test
	void whoWaitsInVainChangesNothingOfTheRecord() {
		IdempotencySettings impatient = new IdempotencySettings("sales", Duration.ofHours(1), Duration.ofSeconds(30),
				IdempotencyScope.PRINCIPAL, true, OnDuplicate.WAIT, Duration.ofMillis(100),
				FailureWithoutTransaction.UNKNOWN, UnknownOutcome.BLOCK, OutagePolicy.DENY);
		IdempotencyDecision.Granted elsewhere = granted(
				Waiting.await(claimApart(request(impatient, "anna", "key", "payload"))));
		String record = record(elsewhere);
		assertThat(claim(impatient, "anna", "key", "payload")).isInstanceOf(IdempotencyDecision.InFlight.class);
		assertThat(record(elsewhere)).isEqualTo(record);
		assertThat(Waiting.await(this.claims.end(elsewhere, new IdempotencyDecision.Completed(null)))).isTrue();
		Awaitility.await().until(this.waiters::isEmpty);
	}

	@Test
	void callThatHasLostItsKeyIsNoLongerJoined() {
		IdempotencyRequest request = request(BRIEF, "anna", "key", "payload");
		IdempotencyDecision.Granted first = granted(Waiting.await(this.engine.claim(request, null)));
		this.redis.flushAll();
		IdempotencyDecision.Granted second = granted(Awaitility.await()
			.until(() -> Waiting.await(this.engine.claim(request, null)),
					IdempotencyDecision.Granted.class::isInstance));
		assertThat(end(first, new IdempotencyDecision.Completed(null))).isFalse();
		assertThat(end(second, new IdempotencyDecision.Completed(null))).isTrue();
	}

	@Test
	void clearedKeyIsClaimedByOneThatTakesOverAndItsFormerOwnerIsRefused() {
		IdempotencyDecision.Granted first = granted(
				Waiting.await(claimApart(request(SALES, "anna", "key", "payload"))));
		RedisIdempotencyKey key = first.key();
		assertThat(Waiting.await(this.claims.look(key))).satisfies((standing) -> {
			assertThat(standing.state()).isEqualTo(IdempotencyRecord.State.IN_FLIGHT);
			assertThat(standing.instance()).isEqualTo("instance-1");
			assertThat(standing.fence()).isEqualTo(fence(first));
			assertThat(standing.lease()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
		});
		assertThat(Waiting.await(this.claims.clear(key, null)))
			.isEqualTo(new IdempotencyRecord.Clearing(false, fence(first)));
		assertThat(Waiting.await(this.claims.clear(key, fence(first) - 1)).cleared()).isFalse();
		assertThat(Waiting.await(this.claims.clear(key, fence(first))).cleared()).isTrue();
		assertThat(Waiting.await(this.claims.clear(key, null))).isEqualTo(new IdempotencyRecord.Clearing(false, null));
		IdempotencyDecision.Granted second = granted(claim("key"));
		assertThat(second.takenOver()).isTrue();
		assertThat(fence(second)).isGreaterThan(fence(first));
		assertThat(Waiting.await(this.claims.beat(first))).isFalse();
		assertThat(end(first, new IdempotencyDecision.Completed(bytes("late")))).isFalse();
		assertThat(end(second, new IdempotencyDecision.Completed(bytes("sold")))).isTrue();
		assertThat(Waiting.await(this.claims.look(key)).state()).isEqualTo(IdempotencyRecord.State.COMPLETED);
	}

	@Test
	void resultIsOfTheKindThatWasStored() {
		for (RecordKind kind : RecordKind.values()) {
			IdempotencyDecision.Granted claim = granted(claim(kind.name()));
			end(claim, new IdempotencyDecision.Completed(bytes("sold"), kind, null));
			assertThat(claim(kind.name())).isInstanceOfSatisfying(IdempotencyDecision.Completed.class, (completed) -> {
				assertThat(completed.kind()).isEqualTo(kind);
				assertThat(completed.result()).isEqualTo(bytes("sold"));
			});
			assertThat(Waiting.await(this.claims.look(claim.key())).state())
				.isEqualTo(IdempotencyRecord.State.COMPLETED);
		}
		IdempotencyDecision.Granted lost = granted(claim("lost"));
		end(lost, new IdempotencyDecision.Completed(null, RecordKind.EXCHANGE, null));
		assertThat(claim("lost")).isEqualTo(new IdempotencyDecision.Completed(null));
		assertThat(Waiting.await(this.claims.look(lost.key())).state()).isEqualTo(IdempotencyRecord.State.LOST);
	}

	@Test
	void whoWaitsIsWokenWhenTheKeyIsCleared() {
		IdempotencyDecision.Granted first = granted(
				Waiting.await(claimApart(request(SALES, "anna", "key", "payload"))));
		CompletableFuture<IdempotencyDecision> waiting = this.engine
			.claim(request(WAITING, "anna", "key", "payload"), null)
			.toCompletableFuture();
		Awaitility.await().until(() -> exists(first.key().all().get(1)));
		assertThat(Waiting.await(this.claims.clear(first.key(), fence(first))).cleared()).isTrue();
		assertThat(granted(Waiting.await(waiting)).takenOver()).isTrue();
	}

	private List<CompletableFuture<IdempotencyDecision>> claimAll(IdempotencySettings settings) {
		List<CompletableFuture<IdempotencyDecision>> claims = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			claims.add(this.engine.claim(request(settings, "anna", "key", "payload"), null).toCompletableFuture());
		}
		return claims;
	}

	private boolean exists(Object key) {
		return this.redis.endpoints()
			.stream()
			.anyMatch((node) -> ((List<?>) node.command("KEYS", "*")).contains(key.toString()));
	}

	private String record(IdempotencyDecision.Granted claim) {
		String key = claim.key().toString();
		return this.redis.endpoints()
			.stream()
			.filter((node) -> ((List<?>) node.command("KEYS", "*")).contains(key))
			.map((node) -> String.valueOf(node.command("HGETALL", key)))
			.findFirst()
			.orElseThrow();
	}

	private IdempotencyDecision claim(String key) {
		return claim(SALES, "anna", key, "payload");
	}

	private IdempotencyDecision claim(IdempotencySettings settings, @Nullable String principal, String key,
			String payload) {
		return Waiting.await(this.engine.claim(request(settings, principal, key, payload), null));
	}

	/**
	 * As another instance does, or one that is paused.
	 */
	private CompletableFuture<IdempotencyDecision> claimApart(IdempotencyRequest request) {
		return this.claims.claim(request, this.claims.key(request), Duration.ZERO);
	}

	private boolean end(IdempotencyDecision claim, IdempotencyDecision.Ending ending) {
		return Waiting.await(this.engine.end(granted(claim), ending));
	}

	private static IdempotencyDecision.Granted granted(IdempotencyDecision claim) {
		assertThat(claim).isInstanceOf(IdempotencyDecision.Granted.class);
		return (IdempotencyDecision.Granted) claim;
	}

	private static long fence(IdempotencyDecision claim) {
		return granted(claim).fence();
	}

	private static IdempotencyRequest request(IdempotencySettings settings, @Nullable String principal, String key,
			String payload) {
		return new IdempotencyRequest(settings,
				(principal != null) ? new IdempotencyRequest.Caller(null, principal) : null, List.of(key),
				Fingerprints.of(payload));
	}

	private static IdempotencySettings with(Duration lease, IdempotencyScope scope) {
		return new IdempotencySettings("sales", Duration.ofHours(1), lease, scope, true, OnDuplicate.CONFLICT,
				Duration.ofSeconds(5), FailureWithoutTransaction.UNKNOWN, UnknownOutcome.BLOCK, OutagePolicy.DENY);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static void await(Duration duration) {
		long end = System.nanoTime() + duration.toNanos();
		Awaitility.await().pollInterval(Duration.ofMillis(5)).until(() -> System.nanoTime() - end >= 0);
	}

}
