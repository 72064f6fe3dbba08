// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.refresh;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.ge.redis.blacklist.BlacklistEvent;
import io.ge.redis.blacklist.BlacklistEvent.Source;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.blacklist.refresh.RefreshTokenEvent.Outcome;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RefreshTokens} on every {@link RedisTarget}.
 */
class RefreshTokensIntegrationTests {

	@Nested
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.SENTINEL)
	class OnSentinel extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.CLUSTER)
	class OnCluster extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.REDIS_7_4)
	class OnRedis74 extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.REDIS_8)
	class OnRedis8 extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.VALKEY_8)
	class OnValkey8 extends Contract {

	}

	abstract static class Contract {

		private static final String ISSUER = "https://issuer.example";

		private static final int TABS = 10;

		private RefreshInstance first;

		private RefreshInstance second;

		@BeforeEach
		void start(RedisFixture redis) {
			this.first = new RefreshInstance(redis, Duration.ofMinutes(5));
			this.second = new RefreshInstance(redis, Duration.ZERO);
		}

		@AfterEach
		void stop() {
			this.first.close();
			this.second.close();
		}

		@Test
		void everyTokenIsReplacedByItsSuccessorOnAnyInstance() {
			RefreshToken token = this.first.tokens().issue(ISSUER, "anna", "desk");
			Set<String> values = new HashSet<>(List.of(token.value()));
			RefreshToken latest = token;
			for (int i = 0; i < 4; i++) {
				RefreshInstance instance = (i % 2 == 0) ? this.first : this.second;
				latest = rotated(instance, latest);
				assertThat(latest).usingRecursiveComparison().ignoringFields("value", "timeToLive").isEqualTo(token);
				assertThat(values.add(latest.value())).isTrue();
			}
			assertThat(token.timeToLive()).isEqualTo(Duration.ofDays(30));
			assertThat(latest.timeToLive()).isBetween(Duration.ofDays(30).minusMinutes(2), token.timeToLive());
			assertThat(latest.toString()).doesNotContain(latest.value());
			assertThat(this.first.outcomes()).containsExactly(Outcome.ROTATED, Outcome.ROTATED);
		}

		@Test
		@Wide
		void twinsThatDoNotBlockDoTheSame() throws Exception {
			RefreshTokens tokens = this.second.tokens();
			RefreshToken token = get(tokens.issueAsync(ISSUER, "anna", "desk"));
			RefreshToken next = ((Rotation.Rotated) get(tokens.rotateAsync(token.value()))).token();
			assertThat(next).usingRecursiveComparison().ignoringFields("value", "timeToLive").isEqualTo(token);
			RefreshToken latest = ((Rotation.Rotated) get(this.first.tokens().rotateAsync(next.value()))).token();
			assertThat(get(this.first.tokens().rotateAsync(next.value()))).isInstanceOf(Rotation.Repeated.class);
			assertThat(get(tokens.rotateAsync(token.value())))
				.isEqualTo(new Rotation.Reused(token.sessionId(), ISSUER, "anna", true));
			assertThat(get(tokens.rotateAsync(latest.value())))
				.isEqualTo(new Rotation.Reused(token.sessionId(), ISSUER, "anna", false));
			assertThat(get(tokens.rotateAsync("unknown"))).isInstanceOf(Rotation.Unknown.class);
			assertThat(this.second.outcomes()).containsExactly(Outcome.ROTATED, Outcome.REUSED, Outcome.REUSED,
					Outcome.UNKNOWN);
			RefreshToken other = get(tokens.issueAsync(ISSUER, "boris"));
			assertThat(get(tokens.revokeAsync(other.value()))).isTrue();
			assertThat(get(tokens.revokeAsync("unknown"))).isFalse();
			assertThat(get(tokens.rotateAsync(other.value()))).isInstanceOf(Rotation.Revoked.class);
			assertThatIllegalArgumentException().isThrownBy(() -> tokens.issueAsync(ISSUER, " "));
		}

		/**
		 * So that listeners are in its transaction.
		 */
		@Test
		void blockingMethodsPublishEventsOnTheThreadOfTheCaller(RedisFixture redis) {
			RefreshToken token = this.second.tokens().issue(ISSUER, "anna");
			assertThat(this.second.tokens().revoke(token.value())).isTrue();
			await().until(() -> isRemembered(redis, token));
			this.second.publishers().clear();
			rotated(this.second, this.second.tokens().issue(ISSUER, "anna"));
			this.second.tokens().revoke(token.value());
			assertThat(this.second.publishers()).containsOnlyKeys(new RefreshTokenEvent(Outcome.ROTATED),
					new BlacklistEvent("tokens", BlacklistEvent.Outcome.CLEAR, Source.LOCAL),
					new BlacklistEvent("tokens", BlacklistEvent.Outcome.REVOKED, Source.LOCAL));
			assertThat(this.second.publishers().values()).containsOnly(Thread.currentThread());
		}

		/**
		 * Also tells that nobody goes on on a thread of the driver.
		 */
		private static <T> T get(CompletionStage<T> stage) throws Exception {
			return stage.whenComplete(
					(value, failure) -> assertThat(Thread.currentThread().getName()).doesNotContain("lettuce", "jedis"))
				.toCompletableFuture()
				.get(30, TimeUnit.SECONDS);
		}

		@Test
		void callersThatPresentTokenTogetherGetTheSameSuccessor(RedisFixture redis) throws Exception {
			RefreshInstance other = new RefreshInstance(redis, Duration.ofMinutes(5));
			ExecutorService tabs = Executors.newFixedThreadPool(TABS);
			try (other) {
				RefreshToken token = this.first.tokens().issue(ISSUER, "anna");
				CountDownLatch together = new CountDownLatch(1);
				List<Future<Rotation>> answers = new ArrayList<>();
				for (int i = 0; i < TABS; i++) {
					RefreshInstance instance = (i % 2 == 0) ? this.first : other;
					answers.add(tabs.submit(() -> {
						together.await();
						return instance.tokens().rotate(token.value());
					}));
				}
				together.countDown();
				Set<String> successors = new HashSet<>();
				int rotated = 0;
				for (Future<Rotation> answer : answers) {
					rotated += (answer.get() instanceof Rotation.Rotated) ? 1 : 0;
					successors.add(((Rotation.Accepted) answer.get()).token().value());
				}
				assertThat(rotated).isEqualTo(1);
				assertThat(successors).hasSize(1);
			}
			finally {
				tabs.shutdownNow();
			}
		}

		@Test
		void tabThatComesLateGetsTheLatestTokenAndNoneThatWasUsed() {
			RefreshToken token = this.first.tokens().issue(ISSUER, "anna");
			RefreshToken latest = rotated(this.first, rotated(this.first, rotated(this.first, token)));
			Rotation repeated = this.second.tokens().rotate(token.value());
			assertThat(repeated).isInstanceOf(Rotation.Repeated.class);
			assertThat(((Rotation.Repeated) repeated).token().value()).isEqualTo(latest.value());
			assertThat(this.second.outcomes()).containsExactly(Outcome.REPEATED);
			rotated(this.second, latest);
		}

		@Test
		void tokenThatIsReusedAfterTheGraceEndsTheSessionAndItsAccessTokens() {
			RefreshToken token = this.first.tokens().issue(ISSUER, "anna");
			RefreshToken bystander = this.first.tokens().issue(ISSUER, "anna");
			// Without any grace
			RefreshToken successor = rotated(this.second, token);
			assertThat(this.second.blacklist().check(accessToken(successor))).isEqualTo(TokenStatus.CLEAR);
			Rotation reused = this.second.tokens().rotate(token.value());
			assertThat(reused).isEqualTo(new Rotation.Reused(token.sessionId(), ISSUER, "anna", true));
			assertThat(this.first.tokens().rotate(successor.value())).isInstanceOf(Rotation.Reused.class);
			assertThat(this.second.blacklist().check(accessToken(successor))).isEqualTo(TokenStatus.SESSION_REVOKED);
			assertThat(this.second.outcomes()).containsExactly(Outcome.ROTATED, Outcome.REUSED);
			rotated(this.first, bystander);
		}

		@Test
		void sessionEndsWithItsLogout() {
			RefreshToken token = this.first.tokens().issue(ISSUER, "anna");
			RefreshToken successor = rotated(this.first, token);
			assertThat(this.second.tokens().revoke(token.value())).isTrue();
			assertThat(this.first.tokens().rotate(successor.value())).isInstanceOf(Rotation.Revoked.class);
			assertThat(this.first.tokens().rotate(token.value())).isInstanceOf(Rotation.Revoked.class);
			assertThat(this.second.blacklist().check(accessToken(successor))).isEqualTo(TokenStatus.SESSION_REVOKED);
			assertThat(this.first.tokens().revoke("nonsense")).isFalse();
			assertThat(this.first.tokens().revoke(TokenText.first(new Random()).value())).isFalse();
		}

		@Test
		void revocationOfSubjectSessionOrClientEndsRefreshTokensAndWhatIsMadeOfThem() {
			RefreshToken ofSubject = this.first.tokens().issue(ISSUER, "boris", "desk");
			RefreshToken ofSession = this.first.tokens().issue(ISSUER, "carl", "desk");
			RefreshToken ofClient = this.first.tokens().issue(ISSUER, "dora", "till");
			RefreshToken other = this.first.tokens().issue(ISSUER, "emil", "desk");
			this.first.blacklist().revokeAll(ISSUER, "boris");
			this.first.blacklist().revokeSession(ISSUER, ofSession.sessionId());
			this.first.blacklist().revokeClient(ISSUER, "till");
			assertThat(this.first.tokens().rotate(ofSubject.value())).isInstanceOf(Rotation.Revoked.class);
			assertThat(this.first.tokens().rotate(ofSession.value())).isInstanceOf(Rotation.Revoked.class);
			assertThat(this.first.tokens().rotate(ofClient.value())).isInstanceOf(Rotation.Revoked.class);
			assertThat(this.first.blacklist().check(accessToken(ofSubject))).isEqualTo(TokenStatus.SUBJECT_REVOKED);
			assertThat(this.first.blacklist().check(accessToken(rotated(this.first, other))))
				.isEqualTo(TokenStatus.CLEAR);
			rotated(this.first, this.first.tokens().issue(ISSUER, "boris", "desk"));
		}

		@Test
		void whatIsNoTokenIsUnknownAndEndsNothing() {
			RefreshToken token = this.first.tokens().issue(null, "anna");
			TokenText text = TokenText.parse(token.value());
			String forged = new TokenText(text.locator(), 0, TokenText.first(new Random()).secret()).value();
			for (String presented : List.of("", "nonsense", forged, TokenText.first(new Random()).value())) {
				assertThat(this.first.tokens().rotate(presented)).isInstanceOf(Rotation.Unknown.class);
			}
			assertThat(rotated(this.first, token).issuer()).isNull();
			assertThatIllegalArgumentException().isThrownBy(() -> this.first.tokens().issue(ISSUER, " "));
		}

		@Test
		void dumpOfRedisTellsNoToken(RedisFixture redis) {
			RefreshToken token = this.first.tokens().issue(ISSUER, "anna");
			RefreshToken successor = rotated(this.first, token);
			String dump = dump(redis);
			assertThat(dump).contains("anna", "used0");
			for (RefreshToken secret : List.of(token, successor)) {
				TokenText text = TokenText.parse(secret.value());
				assertThat(dump).doesNotContain(secret.value(), text.family(), secret.sessionId(),
						secret.value().substring(0, 20), secret.value().substring(40));
			}
		}

		@Test
		void rotationIsOneScriptCall(RedisFixture redis) {
			RefreshToken token = this.first.tokens().issue(ISSUER, "anna");
			RefreshToken successor = rotated(this.first, token);
			redis.configResetStat();
			long before = redis.commandCalls("hmget");
			rotated(this.first, successor);
			assertThat(redis.commandCalls("hmget") - before).isEqualTo(1);
			assertThat(redis.keysWithoutTtl()).isEmpty();
		}

		@Test
		void tokensOfSessionThatHasEndedWriteNothingWhenTheyComeAgain(RedisFixture redis) {
			RefreshToken reused = this.second.tokens().issue(ISSUER, "anna");
			RefreshToken ended = this.second.tokens().issue(ISSUER, "anna");
			rotated(this.second, reused);
			assertThat(isFirst(this.second.tokens().rotate(reused.value()))).isTrue();
			assertThat(this.second.tokens().revoke(ended.value())).isTrue();
			await().until(() -> isRemembered(redis, reused) && isRemembered(redis, ended));
			redis.configResetStat();
			for (int i = 0; i < 20; i++) {
				assertThat(isFirst(this.second.tokens().rotate(reused.value()))).isFalse();
				assertThat(this.second.tokens().rotate(ended.value())).isInstanceOf(Rotation.Revoked.class);
				assertThat(this.second.tokens().revoke(ended.value())).isTrue();
			}
			for (String command : List.of("zadd", "xadd", "zscore")) {
				assertThat(redis.commandCalls(command)).as(command).isZero();
			}
		}

		private boolean isRemembered(RedisFixture redis, RefreshToken token) {
			redis.configResetStat();
			TokenStatus status = this.second.blacklist().check(accessToken(token));
			return status == TokenStatus.SESSION_REVOKED && redis.commandCalls("zscore") == 0;
		}

		private static boolean isFirst(Rotation rotation) {
			assertThat(rotation).isInstanceOf(Rotation.Reused.class);
			return ((Rotation.Reused) rotation).first();
		}

		private static RefreshToken rotated(RefreshInstance instance, RefreshToken token) {
			Rotation rotation = instance.tokens().rotate(token.value());
			assertThat(rotation).isInstanceOf(Rotation.Rotated.class);
			return ((Rotation.Rotated) rotation).token();
		}

		private static TokenIdentity accessToken(RefreshToken token) {
			return new TokenIdentity(token.issuer(), "jti-" + token.value().hashCode(), token.subject(), Instant.now(),
					Instant.now().plusSeconds(300), token.issueStamp(), token.sessionId(), token.clientId());
		}

		private static String dump(RedisFixture redis) {
			StringBuilder dump = new StringBuilder();
			for (RedisEndpoint endpoint : redis.endpoints()) {
				for (Object key : (List<?>) endpoint.command("KEYS", "*refresh*")) {
					dump.append(key).append('\n').append(endpoint.command("HGETALL", (String) key)).append('\n');
				}
			}
			return dump.toString();
		}

	}

}
