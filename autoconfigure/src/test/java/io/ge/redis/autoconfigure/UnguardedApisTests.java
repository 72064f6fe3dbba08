// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.blacklist.Revocation;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.blacklist.refresh.RefreshToken;
import io.ge.redis.blacklist.refresh.RefreshTokens;
import io.ge.redis.blacklist.refresh.Rotation;
import io.ge.redis.bloom.BloomFilters;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.counter.UniqueCounters;
import io.ge.redis.geo.GeoIndexes;
import io.ge.redis.geo.GeoPoint;
import io.ge.redis.hash.HashStore;
import io.ge.redis.idempotency.Idempotency;
import io.ge.redis.leaderboard.Leaderboards;
import io.ge.redis.queue.EnqueuedJob;
import io.ge.redis.queue.JobOptions;
import io.ge.redis.queue.JobQueue;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.state.ChangeSubscription;
import io.ge.redis.state.Workspace;
import io.ge.redis.state.Workspaces;
import io.ge.redis.stream.DeadLetters;
import io.ge.redis.stream.Published;
import io.ge.redis.stream.StreamMessage;
import io.ge.redis.stream.StreamPublisher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Stand-ins for patterns that are switched off, which serve unit tests, too.
 */
class UnguardedApisTests {

	@Test
	void everythingIsAllowedAndNothingCounted() {
		RateLimiter limiter = RateLimiter.unguarded();
		RateLimitDecision decision = limiter.tryAcquire("unknown", "anna", 1_000);
		assertThat(decision).isInstanceOfSatisfying(RateLimitDecision.Allowed.class, (allowed) -> {
			assertThat(allowed.permits().count()).isZero();
			limiter.refund(allowed);
		});
		assertThatNoException().isThrownBy(() -> limiter.acquire("unknown", "anna"));
		assertThat(limiter.acquireAsync("unknown", "anna").toCompletableFuture()).isCompleted();
		assertThat(limiter.resetAsync("unknown", "anna").toCompletableFuture()).isCompleted();
	}

	@Test
	void actionsRunEachTimeAndFailAsTheyWould() {
		Idempotency idempotency = Idempotency.unguarded();
		List<String> runs = new ArrayList<>();
		idempotency.run("pay", "key", null, () -> runs.add("first"));
		idempotency.run("pay", "key", "other payload", () -> runs.add("second"));
		assertThat(runs).containsExactly("first", "second");
		CompletableFuture<String> begun = new CompletableFuture<>();
		assertThat(idempotency.executeAsync("pay", "key", null, String.class, () -> begun)).isSameAs(begun);
		assertThat(idempotency.executeAsync("pay", "key", null, String.class, UnguardedApisTests::fail))
			.isCompletedExceptionally();
	}

	private static <T> CompletionStage<T> fail() {
		throw new IllegalStateException("failed");
	}

	@Test
	void valuesAreLoadedEachTime() {
		GeCaches caches = GeCaches.unguarded();
		caches.put("prices", "tea", "5");
		assertThat(caches.<String>get("prices", "tea", String.class, () -> null)).isNull();
		assertThat(caches.write("prices", "tea", () -> "6")).isEqualTo("6");
		assertThat(caches.getAll("prices", List.of("tea", "milk", "rum", "tea"), String.class, (missing) -> {
			assertThat(missing).containsExactly("tea", "milk", "rum");
			return Map.of("rum", "9", "tea", "5");
		})).containsExactly(Map.entry("tea", "5"), Map.entry("rum", "9"));
		assertThat(caches.getAsync("prices", "tea", String.class, () -> CompletableFuture.completedFuture("7")))
			.isCompletedWithValue("7");
		assertThat(caches.<String>getAsync("prices", "tea", String.class, UnguardedApisTests::fail))
			.isCompletedExceptionally();
		assertThat(caches.writeBehind("prices", "tea", "8")).isPositive();
	}

	@Test
	void structuresKeepNothing() {
		HashStore hashes = HashStore.unguarded();
		assertThat(hashes.put("any", "a", Map.of())).isTrue();
		assertThat(hashes.get("any", "a", Map.class)).isEmpty();
		assertThat(hashes.getAll("any", List.of("a"), Map.class)).isEmpty();
		assertThat(hashes.increment("any", "a", "count", 3)).isEqualTo(3);
		assertThat(hashes.remove("any", "a")).isFalse();
		GeoIndexes places = GeoIndexes.unguarded();
		assertThat(places.put("any", "a", new GeoPoint(0, 0))).isTrue();
		assertThat(places.putAll("any", Map.of("a", new GeoPoint(0, 0)))).containsExactly("a");
		assertThat(Leaderboards.unguarded().addAll("any", Map.of("a", 2.0))).containsEntry("a", 2.0);
		assertThat(places.position("any", "a")).isEmpty();
		assertThat(places.nearest("any", new GeoPoint(0, 0), 1, 10)).isEmpty();
		assertThat(UniqueCounters.unguarded().add("any", "a")).isTrue();
		assertThat(UniqueCounters.unguarded().count("any", 7)).isZero();
		assertThat(BloomFilters.unguarded().addAll("any", List.of("a", "b"))).containsExactly(true, true);
		Workspace workspace = Workspaces.unguarded().open("session", "101");
		assertThat(workspace.by("planner").increment("count", 2)).isEqualTo(2);
		assertThat(workspace.put("price", 42L)).as("version").isZero();
		assertThat(workspace.changes(0).changes()).isEmpty();
		assertThat(workspace.join("planner")).containsExactly("planner");
		try (ChangeSubscription changes = workspace.listen(0, (change) -> {
		})) {
			assertThat(changes.version()).isZero();
		}
	}

	@Test
	void messagesAreDropped() {
		StreamPublisher publisher = StreamPublisher.unguarded();
		StreamMessage message = StreamMessage.of("any");
		assertThat(publisher.publish("any", message).triggerId()).isNotBlank();
		assertThat(publisher.publishAll("any", Map.of(), List.of(message, message))).hasSize(2)
			.extracting(Published::triggerId)
			.doesNotHaveDuplicates();
		assertThat(JobQueue.unguarded().enqueueAll("any", List.of(1, 2), (job) -> JobOptions.defaults())).hasSize(2)
			.extracting(EnqueuedJob::id)
			.doesNotHaveDuplicates();
		assertThat(DeadLetters.unguarded().list("any", 10)).isEmpty();
		assertThat(DeadLetters.unguarded().replay("any", "1-0")).isFalse();
	}

	@Test
	void standInsAreObjects() {
		Object one = Leaderboards.unguarded();
		assertThat(one).isEqualTo(one).isNotEqualTo(Leaderboards.unguarded()).hasSameHashCodeAs(one);
		assertThat(one).hasToString("Stand-in of Leaderboards, which is switched off");
	}

	@Test
	void nothingIsRevoked() {
		TokenBlacklist blacklist = TokenBlacklist.unguarded();
		TokenIdentity token = TokenIdentity.of(null, "id", Instant.MAX);
		Revocation revocation = blacklist.withReason("lost").revoke(token);
		assertThat(revocation.isStored()).isFalse();
		assertThat(revocation.awaitPropagation(Duration.ZERO)).isTrue();
		assertThat(blacklist.check(token)).isEqualTo(TokenStatus.CLEAR);
		assertThat(blacklist.unblock("users", "anna")).isFalse();
		assertThat(blacklist.issueStamp(null, "anna")).isLessThan(blacklist.issueStamp(null, "anna"));
	}

	@Test
	void sessionsGoOnUntilTheyAreRevoked() {
		RefreshTokens tokens = RefreshTokens.unguarded();
		RefreshToken first = tokens.issue("issuer", "anna", "app");
		RefreshToken second = rotated(tokens, first);
		assertThat(second).usingRecursiveComparison().ignoringFields("value").isEqualTo(first);
		assertThat(second.value()).hasSameSizeAs(first.value()).isNotEqualTo(first.value());
		assertThat(rotated(tokens, first).sessionId()).isEqualTo(first.sessionId());
		assertThat(tokens.revoke(second.value())).isTrue();
		assertThat(tokens.rotate(first.value())).isInstanceOf(Rotation.Unknown.class);
		assertThat(tokens.revoke(first.value())).isFalse();
		assertThat(tokens.rotate("forged")).isInstanceOf(Rotation.Unknown.class);
		assertThat(tokens.rotate(RefreshTokens.unguarded().issue(null, "anna").value()))
			.isInstanceOf(Rotation.Unknown.class);
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", " " })
	void sessionsHaveASubject(String subject) {
		RefreshTokens tokens = RefreshTokens.unguarded();
		assertThatIllegalArgumentException().isThrownBy(() -> tokens.issue(null, subject))
			.withMessage("The subject must not be blank");
		assertThat(tokens.issueAsync(null, subject)).isCompletedExceptionally();
	}

	@Test
	void sessionsDoNotFillTheMemory() {
		RefreshTokens tokens = RefreshTokens.unguarded();
		RefreshToken first = tokens.issue(null, "anna");
		RefreshToken second = tokens.issue(null, "anna");
		for (int i = 1; i < 10_000; i++) {
			tokens.issue(null, "boris");
		}
		assertThat(tokens.rotate(first.value())).isInstanceOf(Rotation.Unknown.class);
		assertThat(rotated(tokens, second).subject()).isEqualTo("anna");
	}

	private static RefreshToken rotated(RefreshTokens tokens, RefreshToken token) {
		return ((Rotation.Rotated) tokens.rotate(token.value())).token();
	}

}
