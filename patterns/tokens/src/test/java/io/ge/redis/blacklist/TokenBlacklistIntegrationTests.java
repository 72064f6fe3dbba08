// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import com.sun.management.ThreadMXBean;
import io.ge.redis.blacklist.BlacklistEvent.Outcome;
import io.ge.redis.blacklist.BlacklistEvent.Source;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.Sized;
import io.ge.redis.test.Wide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link TokenBlacklist} on every {@link RedisTarget}.
 */
class TokenBlacklistIntegrationTests {

	@Nested
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends Contract {

		private static final int CHECKS = 50_000;

		@Test
		@Wide
		void clearCheckAllocatesTwoHundredBytesAtMost(RedisFixture redis) throws Exception {
			ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
			Instant now = Instant.now();
			TokenIdentity token = new TokenIdentity("issuer", "id", "anna", now, now.plusSeconds(600), null, "session",
					"client");
			try (Instance quiet = Instance.quiet(redis)) {
				await().until(() -> !quiet.blacklist().isRevoked(token) && quiet.isFresh());
				check(quiet, token);
				await().until(quiet::isFresh);
				long before = threads.getCurrentThreadAllocatedBytes();
				check(quiet, token);
				long each = (threads.getCurrentThreadAllocatedBytes() - before) / CHECKS;
				assertThat(each).isLessThanOrEqualTo(200);
			}
		}

		private static void check(Instance instance, TokenIdentity token) {
			for (int i = 0; i < CHECKS; i++) {
				if (instance.blacklist().isRevoked(token)) {
					throw new AssertionError("Refused");
				}
			}
		}

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

		private static final Duration SKEW = Duration.ofSeconds(60);

		private static final Duration PATIENCE = Duration.ofSeconds(10);

		private Instance first;

		private Instance second;

		@BeforeEach
		void start(RedisFixture redis) {
			this.first = new Instance(redis);
			this.second = new Instance(redis);
		}

		@AfterEach
		void stop() throws Exception {
			this.first.close();
			this.second.close();
		}

		@Test
		void refusesRevokedTokenHereAtOnceAndEverywhereOncePropagated() {
			TokenIdentity token = token("alice", null);
			awaitFromMemory(this.second);
			assertThat(this.second.blacklist().check(token)).isEqualTo(TokenStatus.CLEAR);
			Revocation revocation = this.first.blacklist().revoke(token);
			assertThat(this.first.blacklist().check(token)).isEqualTo(TokenStatus.REVOKED);
			assertThat(revocation.isStored()).isTrue();
			assertThat(revocation.awaitPropagation(PATIENCE)).isTrue();
			assertThat(this.second.blacklist().check(token)).isEqualTo(TokenStatus.REVOKED);
			assertThat(this.first.blacklist().isRevoked(token)).isTrue();
		}

		@Test
		void keepsIssuersAndIdsApart() {
			Instant later = Instant.now().plusSeconds(300);
			this.first.blacklist().revoke("1:a", "b", later);
			assertThat(this.first.blacklist().isRevoked(TokenIdentity.of("1:a", "b", later))).isTrue();
			assertThat(this.first.blacklist().isRevoked(TokenIdentity.of("1", "a:b", later))).isFalse();
			assertThat(this.first.blacklist().isRevoked(TokenIdentity.of(null, "b", later))).isFalse();
			assertThat(this.first.blacklist().isRevoked(TokenIdentity.of("", "b", later))).isFalse();
			assertThat(this.first.blacklist().isRevoked(TokenIdentity.of("1:a", "c", later))).isFalse();
		}

		@Test
		void rowStandsForRemainingLifeAndSkew(RedisFixture redis) {
			Instant expiresAt = Instant.now().plusSeconds(300);
			Revocation revocation = this.first.blacklist().revoke(ISSUER, "id", expiresAt);
			assertThat(standsUntil(redis)).isEqualTo(expiresAt.toEpochMilli() + 60_000);
			long ttl = ttl(redis, "rows1");
			assertThat(revocation.timeToLive()).isBetween(Duration.ofSeconds(350), Duration.ofSeconds(361));
			assertThat(Duration.ofMillis(ttl)).isBetween(Duration.ofSeconds(360), Duration.ofSeconds(371));
			assertThat(Duration.ofMillis(ttl(redis, "changes1"))).isBetween(Duration.ofSeconds(360),
					Duration.ofSeconds(371));
		}

		@Test
		void rowOutlivesExpiryWithinSkew() {
			TokenIdentity expired = TokenIdentity.of(ISSUER, "id", Instant.now().minusSeconds(30));
			assertThat(this.first.blacklist().check(expired)).isEqualTo(TokenStatus.CLEAR);
			this.first.blacklist().revoke(expired);
			assertThat(this.first.blacklist().check(expired)).isEqualTo(TokenStatus.REVOKED);
		}

		@Test
		void earlierExpiryDoesNotShortenRow(RedisFixture redis) {
			Instant now = Instant.now();
			this.first.blacklist().revoke(ISSUER, "id", now.plusSeconds(300));
			this.first.blacklist().revoke(ISSUER, "id", now.plusSeconds(10));
			assertThat(standsUntil(redis)).isEqualTo(now.plusSeconds(360).toEpochMilli());
			this.first.blacklist().revoke(ISSUER, "id", now.plusSeconds(3000));
			assertThat(standsUntil(redis)).isEqualTo(now.plusSeconds(3060).toEpochMilli());
		}

		@Test
		void writesNothingForTokenExpiredBeyondSkew(RedisFixture redis) {
			Instant longAgo = Instant.now().minus(SKEW).minusSeconds(5);
			Revocation revocation = this.first.blacklist().revoke(ISSUER, "id", longAgo);
			assertThat(revocation.isStored()).isFalse();
			assertThat(keys(redis)).isEmpty();
			assertThat(this.first.blacklist().check(TokenIdentity.of(ISSUER, "id", longAgo)))
				.isEqualTo(TokenStatus.EXPIRED);
		}

		@Test
		void refusesTokenOlderThanAnyMayBe() {
			Instant now = Instant.now();
			TokenIdentity ancient = new TokenIdentity(ISSUER, "id", "alice", now.minus(Duration.ofDays(31)),
					now.plusSeconds(300), null);
			assertThat(this.first.blacklist().check(ancient)).isEqualTo(TokenStatus.EXPIRED);
		}

		@Test
		@Wide
		void acceptsClaimsAtTheEndOfTime() {
			TokenIdentity token = new TokenIdentity(ISSUER, "id", "alice", Instant.now(), Instant.MAX, null);
			assertThat(this.first.blacklist().check(token)).isEqualTo(TokenStatus.CLEAR);
			this.first.blacklist().revoke(token);
			assertThat(this.first.blacklist().check(token)).isEqualTo(TokenStatus.REVOKED);
		}

		@Test
		@Sized
		void logoutAllRefusesEverythingBeforeAndNothingAfterWithinOneSecond() {
			List<TokenIdentity> earlier = new ArrayList<>();
			for (int i = 0; i < (Wide.RUN ? 20 : 6); i++) {
				Instance here = (i % 2 == 0) ? this.first : this.second;
				Instance there = (i % 2 == 0) ? this.second : this.first;
				earlier.add(login(there, "alice"));
				assertThat(here.blacklist().revokeAll(ISSUER, "alice").awaitPropagation(PATIENCE)).isTrue();
				TokenIdentity after = login(there, "alice");
				assertThat(here.blacklist().check(after)).isEqualTo(TokenStatus.CLEAR);
				assertThat(earlier).allSatisfy(
						(token) -> assertThat(there.blacklist().check(token)).isEqualTo(TokenStatus.SUBJECT_REVOKED));
				earlier.add(after);
			}
		}

		@Test
		void logoutAllRefusesUnstampedTokensThatMayBeEarlier() {
			Instant now;
			long started;
			do {
				started = System.nanoTime();
				this.first.blacklist().revokeAll(ISSUER, "alice");
				now = Instant.now();
			}
			// Tokens of a second later may be earlier, by the clock of their issuer
			while (System.nanoTime() - started > Duration.ofMillis(900).toNanos());
			assertThat(check("alice", now.minusSeconds(1))).isEqualTo(TokenStatus.SUBJECT_REVOKED);
			assertThat(check("alice", now)).isEqualTo(TokenStatus.SUBJECT_REVOKED);
			assertThat(check("alice", null)).isEqualTo(TokenStatus.SUBJECT_REVOKED);
			assertThat(check("alice", now.plusSeconds(3))).isEqualTo(TokenStatus.CLEAR);
		}

		@Test
		void logoutAllLeavesOthersAlone() {
			this.first.blacklist().revokeAll(ISSUER, "alice");
			assertThat(check("bob", Instant.now())).isEqualTo(TokenStatus.CLEAR);
			TokenIdentity elsewhere = new TokenIdentity("other", "id", "alice", Instant.now(), null, null);
			assertThat(this.first.blacklist().check(elsewhere)).isEqualTo(TokenStatus.CLEAR);
		}

		@Test
		void notBeforeStandsAsLongAsTokensMayLive(RedisFixture redis) {
			this.first.blacklist().revokeAll(ISSUER, "alice");
			Duration needed = Duration.ofDays(30).plusSeconds(61);
			assertThat(remaining(redis)).isBetween(needed.minusSeconds(10), needed.plusMillis(1));
			assertThat(Duration.ofMillis(ttl(redis, "details1"))).isGreaterThanOrEqualTo(remaining(redis));
		}

		@Test
		void refusesTokenWithoutIdUnlessConfigured(RedisFixture redis) throws Exception {
			TokenIdentity token = new TokenIdentity(ISSUER, " ", "alice", Instant.now(), null, null);
			assertThat(this.first.blacklist().check(token)).isEqualTo(TokenStatus.UNIDENTIFIED);
			try (Instance lenient = new Instance(redis, Instance.properties(OutagePolicy.DENY, false),
					Duration.ofSeconds(5))) {
				assertThat(lenient.blacklist().check(token)).isEqualTo(TokenStatus.CLEAR);
				lenient.blacklist().revokeAll(ISSUER, "alice");
				assertThat(lenient.blacklist().check(token)).isEqualTo(TokenStatus.SUBJECT_REVOKED);
			}
		}

		@Test
		@Wide
		void tokenWithoutExpiryIsRevokedForTheLongestLife() {
			TokenBlacklist blacklist = this.first.blacklist();
			TokenIdentity token = new TokenIdentity(ISSUER, "endless", null, null, null, null);
			assertThat(blacklist.check(token)).isEqualTo(TokenStatus.CLEAR);
			assertThat(blacklist.revoke(token).timeToLive()).isBetween(Duration.ofDays(30),
					Duration.ofDays(30).plus(SKEW).plusSeconds(1));
			assertThat(blacklist.check(token)).isEqualTo(TokenStatus.REVOKED);
			assertThat(this.second.blacklist().revoke(token).awaitPropagation(PATIENCE)).isTrue();
			assertThat(this.second.blacklist().check(token)).isEqualTo(TokenStatus.REVOKED);
		}

		@Test
		void refusesTimesThatCannotBeCounted() {
			TokenBlacklist blacklist = this.first.blacklist();
			Duration forever = Duration.ofSeconds(Long.MAX_VALUE);
			assertThatIllegalArgumentException().isThrownBy(() -> blacklist.block("ips", "10.0.0.1", forever))
				.withMessage("A block must be between 1ms and 36525 days, but is " + forever);
			Revocation revocation = blacklist.revoke(ISSUER, "endless", Instant.MAX);
			assertThat(revocation.timeToLive()).isPositive();
			assertThatIllegalArgumentException().isThrownBy(() -> revocation.awaitPropagation(forever));
		}

		@Test
		@Wide
		void revokingNeedsId() {
			TokenBlacklist blacklist = this.first.blacklist();
			assertThatIllegalArgumentException().isThrownBy(() -> blacklist.revoke(ISSUER, "", Instant.now()))
				.withMessageContaining("without id");
			assertThatIllegalArgumentException().isThrownBy(() -> blacklist.revokeAll(ISSUER, " "));
			assertThatIllegalArgumentException().isThrownBy(() -> blacklist.block("ips", "10.0.0.1", Duration.ZERO));
		}

		@Test
		void keysTellNeitherTokensNorSubjects(RedisFixture redis) {
			this.first.blacklist().revoke(ISSUER, "precious-id", Instant.now().plusSeconds(60));
			this.first.blacklist().revokeAll(ISSUER, "alice");
			assertThat(keys(redis)).allSatisfy((key) -> assertThat(key).startsWith("ge:blacklist:{all}:"));
			for (Object member : (List<?>) primary(redis, "rows1").command("ZRANGE", key("rows1"), "0", "-1")) {
				assertThat(member.toString()).doesNotContain("precious", "alice", "issuer");
			}
		}

		@Test
		@Wide
		void blocksSubjectOfListForTime(RedisFixture redis) {
			Revocation block = this.first.blacklist().block("ips", "10.0.0.1", Duration.ofMinutes(10));
			assertThat(block.timeToLive()).isEqualTo(Duration.ofMinutes(10));
			assertThat(remaining(redis)).isBetween(Duration.ofSeconds(590), Duration.ofSeconds(600).plusMillis(1));
			assertThat(block.awaitPropagation(PATIENCE)).isTrue();
			assertThat(this.second.blacklist().isBlocked("ips", "10.0.0.1")).isTrue();
			assertThat(this.second.blacklist().isBlocked("ips", "10.0.0.2")).isFalse();
			assertThat(this.second.blacklist().isBlocked("devices", "10.0.0.1")).isFalse();
			assertThat(this.second.blacklist().isBlocked("ips", List.of("10.0.0.1", "x"))).isFalse();
		}

		@Test
		void longerBlockIsKeptUntilUnblocked(RedisFixture redis) {
			this.first.blacklist().block("ips", "10.0.0.1", Duration.ofMinutes(10));
			this.first.blacklist().block("ips", "10.0.0.1", Duration.ofMinutes(1));
			assertThat(remaining(redis)).isGreaterThan(Duration.ofSeconds(590));
			assertThat(this.second.blacklist().unblock("ips", "10.0.0.1")).isTrue();
			assertThat(this.second.blacklist().unblock("ips", "10.0.0.1")).isFalse();
			assertThat(this.first.blacklist().isBlocked("ips", "10.0.0.1")).isFalse();
		}

		@Test
		void everythingCostsOneScriptCallWithoutMemory(RedisFixture redis) throws Exception {
			TokenIdentity token = new TokenIdentity(ISSUER, "id", "alice", Instant.now(),
					Instant.now().plusSeconds(300), null, "session", "client");
			try (Instance forgetful = Instance.withoutMemory(redis)) {
				TokenBlacklist blacklist = forgetful.blacklist();
				List<Runnable> calls = List.of(() -> blacklist.check(token), () -> blacklist.revoke(token),
						() -> blacklist.revokeAll(ISSUER, "alice"), () -> blacklist.revokeSession(ISSUER, "session"),
						() -> blacklist.revokeClient(ISSUER, "client"), () -> blacklist.issueStamp(ISSUER, "alice"),
						() -> blacklist.isBlocked("ips", "10.0.0.1"), () -> blacklist.block("ips", "10.0.0.1", SKEW),
						() -> blacklist.unblock("ips", "10.0.0.1"));
				calls.forEach(Runnable::run);
				for (Runnable call : calls) {
					redis.configResetStat();
					call.run();
					assertThat(redis.commandCalls("evalsha")).isOne();
					assertThat(redis.commandCalls("eval")).isZero();
				}
			}
		}

		@Test
		void checksCostNothingWithMemory(RedisFixture redis) {
			awaitFromMemory(this.first);
			TokenIdentity clear = token("alice", null);
			TokenIdentity revoked = token("bob", null);
			Instant earlier = Instant.now();
			this.second.blacklist().revoke(revoked).awaitPropagation(PATIENCE);
			this.second.blacklist().revokeAll(ISSUER, "carol").awaitPropagation(PATIENCE);
			this.second.blacklist().block("ips", "10.0.0.1", SKEW).awaitPropagation(PATIENCE);
			redis.configResetStat();
			this.first.events().clear();
			for (int i = 0; i < 2000; i++) {
				assertThat(this.first.blacklist().check(clear)).isEqualTo(TokenStatus.CLEAR);
				assertThat(this.first.blacklist().check(revoked)).isEqualTo(TokenStatus.REVOKED);
				assertThat(check("carol", earlier)).isEqualTo(TokenStatus.SUBJECT_REVOKED);
				assertThat(this.first.blacklist().isBlocked("ips", "10.0.0.1")).isTrue();
				assertThat(this.first.blacklist().isBlocked("ips", "10.0.0.2")).isFalse();
			}
			// What the script of a check looks rows up with
			assertThat(redis.commandCalls("zscore")).isZero();
			assertThat(this.first.events()).hasSize(10_000)
				.allSatisfy((event) -> assertThat(((BlacklistEvent) event).source()).isEqualTo(Source.LOCAL));
		}

		@Test
		@Wide
		void refusesTokensOfEndedSession() {
			Instant later = Instant.now().plusSeconds(300);
			TokenIdentity before = new TokenIdentity(ISSUER, "1", "alice", Instant.now(), later, null, "s", null);
			TokenIdentity after = new TokenIdentity(ISSUER, "2", "alice", later, later, null, "s", null);
			TokenIdentity other = new TokenIdentity(ISSUER, "3", "alice", Instant.now(), later, null, "t", null);
			awaitFromMemory(this.second);
			Revocation revocation = this.first.blacklist().revokeSession(ISSUER, "s");
			assertThat(revocation.awaitPropagation(PATIENCE)).isTrue();
			for (Instance instance : List.of(this.first, this.second)) {
				assertThat(instance.blacklist().check(before)).isEqualTo(TokenStatus.SESSION_REVOKED);
				assertThat(instance.blacklist().check(after)).isEqualTo(TokenStatus.SESSION_REVOKED);
				assertThat(instance.blacklist().check(other)).isEqualTo(TokenStatus.CLEAR);
			}
		}

		@Test
		@Wide
		void refusesEarlierTokensOfClient() {
			awaitFromMemory(this.second);
			TokenIdentity before = ofClient(this.second, "c");
			TokenIdentity other = ofClient(this.second, "d");
			assertThat(this.first.blacklist().revokeClient(ISSUER, "c").awaitPropagation(PATIENCE)).isTrue();
			TokenIdentity after = ofClient(this.second, "c");
			for (Instance instance : List.of(this.first, this.second)) {
				assertThat(instance.blacklist().check(before)).isEqualTo(TokenStatus.CLIENT_REVOKED);
				assertThat(instance.blacklist().check(after)).isEqualTo(TokenStatus.CLEAR);
				assertThat(instance.blacklist().check(other)).isEqualTo(TokenStatus.CLEAR);
			}
		}

		private static TokenIdentity ofClient(Instance instance, String client) {
			return new TokenIdentity(ISSUER, UUID.randomUUID().toString(), "alice", Instant.now(),
					Instant.now().plusSeconds(300), instance.blacklist().issueStamp(ISSUER, "alice"), null, client);
		}

		@Test
		void unblockingIsHeardOf() {
			awaitFromMemory(this.second);
			this.first.blacklist().block("ips", "10.0.0.1", SKEW);
			await().atMost(PATIENCE).until(() -> this.second.blacklist().isBlocked("ips", "10.0.0.1"));
			this.first.blacklist().unblock("ips", "10.0.0.1");
			assertThat(this.first.blacklist().isBlocked("ips", "10.0.0.1")).isFalse();
			await().atMost(PATIENCE).until(() -> !this.second.blacklist().isBlocked("ips", "10.0.0.1"));
		}

		@Test
		void readsAllRowsWhenItStarts(RedisFixture redis) throws Exception {
			List<TokenIdentity> tokens = new ArrayList<>();
			for (int i = 0; i < 50; i++) {
				tokens.add(token("alice", null));
				this.first.blacklist().revoke(tokens.get(i));
			}
			TokenIdentity ofBob = token("bob", null);
			this.first.blacklist().revokeAll(ISSUER, "bob");
			this.first.blacklist().block("ips", "10.0.0.1", SKEW);
			try (Instance late = new Instance(redis)) {
				awaitFromMemory(late);
				late.events().clear();
				for (TokenIdentity token : tokens) {
					assertThat(late.blacklist().check(token)).isEqualTo(TokenStatus.REVOKED);
				}
				assertThat(late.blacklist().check(ofBob)).isEqualTo(TokenStatus.SUBJECT_REVOKED);
				assertThat(late.blacklist().isBlocked("ips", "10.0.0.1")).isTrue();
				assertThat(late.events())
					.allSatisfy((event) -> assertThat(((BlacklistEvent) event).source()).isEqualTo(Source.LOCAL));
			}
		}

		@Test
		@Wide
		void reasonIsToldWhereverItIsRefused(RedisFixture redis) throws Exception {
			awaitFromMemory(this.second);
			// Issued before all that is revoked
			Instant now = Instant.now();
			TokenIdentity token = token("alice", null);
			List<TokenIdentity> refused = List.of(token, token("bob", null),
					new TokenIdentity(ISSUER, "1", "alice", now, now.plusSeconds(300), null, "s", null),
					new TokenIdentity(ISSUER, "2", "alice", now, now.plusSeconds(300), null, null, "c"));
			TokenBlacklist stolen = this.first.blacklist().withReason("phone stolen, Zürich");
			assertThat(stolen.revoke(token).awaitPropagation(PATIENCE)).isTrue();
			stolen.revokeSession(ISSUER, "s").awaitPropagation(PATIENCE);
			stolen.revokeAll(ISSUER, "bob").awaitPropagation(PATIENCE);
			stolen.revokeClient(ISSUER, "c").awaitPropagation(PATIENCE);
			stolen.block("ips", "10.0.0.1", SKEW).awaitPropagation(PATIENCE);
			// Gives no reason, and replaces none
			this.first.blacklist().revoke(token).awaitPropagation(PATIENCE);
			try (Instance late = new Instance(redis); Instance forgetful = Instance.withoutMemory(redis)) {
				awaitFromMemory(late);
				for (Instance instance : List.of(this.second, late, forgetful)) {
					for (TokenIdentity each : refused) {
						assertThat(instance.blacklist().isRevoked(each)).isTrue();
						assertThat(instance.lastEvent().reason()).isEqualTo("phone stolen, Zürich");
					}
					assertThat(instance.blacklist().isBlocked("ips", "10.0.0.1")).isTrue();
					assertThat(instance.lastEvent().reason()).isEqualTo("phone stolen, Zürich");
				}
				assertThat(late.lastEvent().source()).isEqualTo(Source.LOCAL);
				assertThat(forgetful.lastEvent().source()).isEqualTo(Source.REDIS);
			}
		}

		@Test
		@Wide
		void reasonEndsWithItsRow(RedisFixture redis) throws Exception {
			try (Instance forgetful = Instance.withoutMemory(redis)) {
				awaitFromMemory(this.second);
				this.first.blacklist().withReason("noisy").block("ips", "10.0.0.1", SKEW);
				this.first.blacklist().withReason("still noisy").block("ips", "10.0.0.1", SKEW);
				assertThat(forgetful.blacklist().isBlocked("ips", "10.0.0.1")).isTrue();
				assertThat(forgetful.lastEvent().reason()).isEqualTo("still noisy");
				this.first.blacklist().unblock("ips", "10.0.0.1");
				this.first.blacklist().block("ips", "10.0.0.1", SKEW).awaitPropagation(PATIENCE);
				for (Instance instance : List.of(this.second, forgetful)) {
					assertThat(instance.blacklist().isBlocked("ips", "10.0.0.1")).isTrue();
					assertThat(instance.lastEvent().reason()).isNull();
				}
			}
		}

		@Test
		@Wide
		void reasonsAreShortTextOfOneLine() {
			TokenBlacklist blacklist = this.first.blacklist();
			for (String reason : List.of("", " ", "a\nb", "a\u0000", "a\u2028b", "a\ud800", "x".repeat(201))) {
				assertThatIllegalArgumentException().isThrownBy(() -> blacklist.withReason(reason))
					.withMessageStartingWith("A reason ");
			}
			assertThat(blacklist.withReason("x".repeat(200)).revoke(token("alice", null)).isStored()).isTrue();
		}

		@Test
		void asksAboutWhatItDoesNotKnowBeyondTheMostIds(RedisFixture redis) throws Exception {
			TokenIdentity clear = token("alice", null);
			TokenIdentity revoked = token("boris", null);
			try (Instance filtering = Instance.filtering(redis, OutagePolicy.DENY, PATIENCE)) {
				awaitFromMemory(filtering);
				this.first.blacklist().revoke(revoked).awaitPropagation(PATIENCE);
				filtering.assertState("local.exact").isEqualTo(false);
				redis.configResetStat();
				assertThat(filtering.blacklist().check(revoked)).isEqualTo(TokenStatus.REVOKED);
				assertThat(filtering.blacklist().check(clear)).isEqualTo(TokenStatus.CLEAR);
				assertThat(filtering.lastEvent().source()).isEqualTo(Source.REDIS);
				// The id of the one, id and subject of the other
				assertThat(redis.commandCalls("zscore")).isEqualTo(3);
				redis.flushAll();
				assertThat(filtering.blacklist().check(revoked)).isEqualTo(TokenStatus.CLEAR);
			}
		}

		@Test
		@Wide
		void survivesLossOfScripts(RedisFixture redis) {
			TokenIdentity token = token("alice", null);
			this.first.blacklist().revoke(token);
			redis.scriptFlush();
			assertThat(this.first.blacklist().check(token)).isEqualTo(TokenStatus.REVOKED);
		}

		@Test
		void tellsOfEveryCheck(RedisFixture redis) throws Exception {
			TokenIdentity token = token("alice", null);
			try (Instance forgetful = Instance.withoutMemory(redis)) {
				forgetful.blacklist().check(token);
				forgetful.blacklist().revoke(token);
				forgetful.blacklist().check(token);
				forgetful.blacklist().isBlocked("ips", "10.0.0.1");
				forgetful.blacklist().check(new TokenIdentity(ISSUER, null, null, null, null, null));
				assertThat(forgetful.events()).containsExactly(
						new BlacklistEvent("tokens", Outcome.CLEAR, Source.REDIS),
						new BlacklistEvent("tokens", Outcome.REVOKED, Source.REDIS),
						new BlacklistEvent("ips", Outcome.CLEAR, Source.REDIS),
						new BlacklistEvent("tokens", Outcome.REVOKED, Source.LOCAL));
			}
		}

		private TokenStatus check(String subject, @Nullable Instant issuedAt) {
			return this.first.blacklist()
				.check(new TokenIdentity(ISSUER, UUID.randomUUID().toString(), subject, issuedAt, null, null));
		}

		private static TokenIdentity login(Instance instance, String subject) {
			return token(subject, instance.blacklist().issueStamp(ISSUER, subject));
		}

		private static TokenIdentity token(String subject, @Nullable Long stamp) {
			Instant now = Instant.ofEpochSecond(Instant.now().getEpochSecond());
			return new TokenIdentity(ISSUER, UUID.randomUUID().toString(), subject, now, now.plusSeconds(300), stamp);
		}

		private static void awaitFromMemory(Instance instance) {
			await().atMost(PATIENCE).until(instance::answersFromMemory);
		}

		private static long standsUntil(RedisFixture redis) {
			List<?> rows = (List<?>) primary(redis, "rows1").command("ZRANGE", key("rows1"), "0", "-1", "WITHSCORES");
			assertThat(rows).hasSize(2);
			return Long.parseLong(String.valueOf(rows.get(1)));
		}

		private static Duration remaining(RedisFixture redis) {
			List<?> time = (List<?>) primary(redis, "rows1").command("TIME");
			return Duration.ofMillis(standsUntil(redis))
				.minusSeconds(Long.parseLong(String.valueOf(time.get(0))))
				.minusNanos(Long.parseLong(String.valueOf(time.get(1))) * 1000);
		}

		private static long ttl(RedisFixture redis, String key) {
			return (Long) primary(redis, key).command("PTTL", key(key));
		}

		private static RedisEndpoint primary(RedisFixture redis, String key) {
			for (RedisEndpoint endpoint : primaries(redis)) {
				if (((List<?>) endpoint.command("KEYS", key(key))).size() == 1) {
					return endpoint;
				}
			}
			throw new AssertionError("No " + key);
		}

		private static String key(String name) {
			return "ge:blacklist:{all}:" + name;
		}

		private static List<String> keys(RedisFixture redis) {
			List<String> keys = new ArrayList<>();
			for (RedisEndpoint endpoint : primaries(redis)) {
				((List<?>) endpoint.command("KEYS", "*")).forEach((key) -> keys.add((String) key));
			}
			return keys;
		}

		private static List<? extends RedisEndpoint> primaries(RedisFixture redis) {
			return redis.endpoints().stream().filter(RedisEndpoint::isPrimary).toList();
		}

	}

}
