/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.ge.redis.blacklist.BlacklistEvent.Outcome;
import io.ge.redis.blacklist.BlacklistEvent.Source;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisTarget;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link TokenBlacklist} on every {@link RedisTarget}.
 */
class TokenBlacklistIntegrationTests {

	@Nested
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends Contract {

	}

	@Nested
	@OnRedis(RedisTarget.SENTINEL)
	class OnSentinel extends Contract {

	}

	@Nested
	@OnRedis(RedisTarget.CLUSTER)
	class OnCluster extends Contract {

		@Override
		int slotsOfToken() {
			return 2;
		}

	}

	@Nested
	@OnRedis(RedisTarget.JEDIS)
	class OnJedis extends Contract {

	}

	@Nested
	@OnRedis(RedisTarget.REDIS_6_2)
	class OnRedis62 extends Contract {

	}

	@Nested
	@OnRedis(RedisTarget.REDIS_7_4)
	class OnRedis74 extends Contract {

	}

	@Nested
	@OnRedis(RedisTarget.REDIS_8)
	class OnRedis8 extends Contract {

	}

	@Nested
	@OnRedis(RedisTarget.VALKEY_8)
	class OnValkey8 extends Contract {

	}

	abstract static class Contract {

		private static final String ISSUER = "https://issuer.example";

		private static final Duration SKEW = Duration.ofSeconds(60);

		private Instance first;

		private Instance second;

		int slotsOfToken() {
			return 1;
		}

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
		void refusesRevokedTokenOnEveryInstanceAtOnce() {
			TokenIdentity token = token("alice", null);
			assertThat(this.second.blacklist().check(token)).isEqualTo(TokenStatus.CLEAR);
			assertThat(this.first.blacklist().revoke(token).isStored()).isTrue();
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
			long ttl = onlyRowTtl(redis);
			assertThat(revocation.timeToLive()).isBetween(Duration.ofSeconds(350), Duration.ofSeconds(361));
			assertThat(Duration.ofMillis(ttl)).isBetween(Duration.ofSeconds(350), Duration.ofSeconds(361));
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
			assertThat(Duration.ofMillis(onlyRowTtl(redis))).isGreaterThan(Duration.ofSeconds(350));
			this.first.blacklist().revoke(ISSUER, "id", now.plusSeconds(3000));
			assertThat(Duration.ofMillis(onlyRowTtl(redis))).isGreaterThan(Duration.ofSeconds(3050));
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
		void acceptsClaimsAtTheEndOfTime() {
			TokenIdentity token = new TokenIdentity(ISSUER, "id", "alice", Instant.now(), Instant.MAX, null);
			assertThat(this.first.blacklist().check(token)).isEqualTo(TokenStatus.CLEAR);
			this.first.blacklist().revoke(token);
			assertThat(this.first.blacklist().check(token)).isEqualTo(TokenStatus.REVOKED);
		}

		@Test
		void logoutAllRefusesEverythingBeforeAndNothingAfterWithinOneSecond() {
			List<TokenIdentity> earlier = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				Instance here = (i % 2 == 0) ? this.first : this.second;
				Instance there = (i % 2 == 0) ? this.second : this.first;
				earlier.add(login(there, "alice"));
				here.blacklist().revokeAll(ISSUER, "alice");
				TokenIdentity after = login(there, "alice");
				assertThat(here.blacklist().check(after)).isEqualTo(TokenStatus.CLEAR);
				assertThat(earlier).allSatisfy(
						(token) -> assertThat(there.blacklist().check(token)).isEqualTo(TokenStatus.SUBJECT_REVOKED));
				earlier.add(after);
			}
		}

		@Test
		void logoutAllRefusesUnstampedTokensThatMayBeEarlier() {
			this.first.blacklist().revokeAll(ISSUER, "alice");
			Instant now = Instant.now();
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
			assertThat(Duration.ofMillis(onlyRowTtl(redis))).isBetween(Duration.ofDays(30).plusSeconds(50),
					Duration.ofDays(30).plusSeconds(61));
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
		void revokingNeedsIdAndExpiry() {
			TokenBlacklist blacklist = this.first.blacklist();
			assertThatIllegalArgumentException().isThrownBy(() -> blacklist.revoke(ISSUER, "", Instant.now()))
				.withMessageContaining("without id");
			assertThatIllegalArgumentException()
				.isThrownBy(() -> blacklist.revoke(new TokenIdentity(ISSUER, "id", null, null, null, null)))
				.withMessageContaining("without expiry");
			assertThatIllegalArgumentException().isThrownBy(() -> blacklist.revokeAll(ISSUER, " "));
			assertThatIllegalArgumentException().isThrownBy(() -> blacklist.block("ips", "10.0.0.1", Duration.ZERO));
		}

		@Test
		void keysTellNeitherTokensNorSubjects(RedisFixture redis) {
			this.first.blacklist().revoke(ISSUER, "precious-id", Instant.now().plusSeconds(60));
			this.first.blacklist().revokeAll(ISSUER, "alice");
			assertThat(keys(redis)).hasSize(2)
				.allSatisfy((key) -> assertThat(key).startsWith("ge:blacklist:{%s")
					.doesNotContain("precious", "alice", "issuer"));
		}

		@Test
		void blocksSubjectOfListForTime(RedisFixture redis) {
			Revocation block = this.first.blacklist().block("ips", "10.0.0.1", Duration.ofMinutes(10));
			assertThat(block.timeToLive()).isEqualTo(Duration.ofMinutes(10));
			assertThat(Duration.ofMillis(onlyRowTtl(redis))).isBetween(Duration.ofSeconds(590),
					Duration.ofSeconds(600));
			assertThat(this.second.blacklist().isBlocked("ips", "10.0.0.1")).isTrue();
			assertThat(this.second.blacklist().isBlocked("ips", "10.0.0.2")).isFalse();
			assertThat(this.second.blacklist().isBlocked("devices", "10.0.0.1")).isFalse();
			assertThat(this.second.blacklist().isBlocked("ips", List.of("10.0.0.1", "x"))).isFalse();
		}

		@Test
		void longerBlockIsKeptUntilUnblocked(RedisFixture redis) {
			this.first.blacklist().block("ips", "10.0.0.1", Duration.ofMinutes(10));
			this.first.blacklist().block("ips", "10.0.0.1", Duration.ofMinutes(1));
			assertThat(Duration.ofMillis(onlyRowTtl(redis))).isGreaterThan(Duration.ofSeconds(590));
			assertThat(this.second.blacklist().unblock("ips", "10.0.0.1")).isTrue();
			assertThat(this.second.blacklist().unblock("ips", "10.0.0.1")).isFalse();
			assertThat(this.first.blacklist().isBlocked("ips", "10.0.0.1")).isFalse();
		}

		@Test
		void everythingCostsOneScriptCallPerSlot(RedisFixture redis) {
			TokenIdentity token = token("alice", null);
			TokenBlacklist blacklist = this.first.blacklist();
			Map<Runnable, Integer> costs = new LinkedHashMap<>();
			costs.put(() -> blacklist.check(token), slotsOfToken());
			costs.put(() -> blacklist.revoke(token), 1);
			costs.put(() -> blacklist.revokeAll(ISSUER, "alice"), 1);
			costs.put(() -> blacklist.issueStamp(ISSUER, "alice"), 1);
			costs.put(() -> blacklist.isBlocked("ips", "10.0.0.1"), 1);
			costs.put(() -> blacklist.block("ips", "10.0.0.1", SKEW), 1);
			costs.put(() -> blacklist.unblock("ips", "10.0.0.1"), 1);
			costs.keySet().forEach(Runnable::run);
			costs.forEach((call, cost) -> {
				redis.configResetStat();
				call.run();
				assertThat(redis.commandCalls("evalsha")).isEqualTo((long) cost);
				assertThat(redis.commandCalls("eval")).isZero();
			});
		}

		@Test
		void survivesLossOfScripts(RedisFixture redis) {
			TokenIdentity token = token("alice", null);
			this.first.blacklist().revoke(token);
			redis.scriptFlush();
			assertThat(this.first.blacklist().check(token)).isEqualTo(TokenStatus.REVOKED);
		}

		@Test
		void tellsOfEveryCheck() {
			TokenIdentity token = token("alice", null);
			this.first.blacklist().check(token);
			this.first.blacklist().revoke(token);
			this.first.blacklist().check(token);
			this.first.blacklist().isBlocked("ips", "10.0.0.1");
			this.first.blacklist().check(new TokenIdentity(ISSUER, null, null, null, null, null));
			assertThat(this.first.events()).containsExactly(new BlacklistEvent("tokens", Outcome.CLEAR, Source.REDIS),
					new BlacklistEvent("tokens", Outcome.REVOKED, Source.REDIS),
					new BlacklistEvent("ips", Outcome.CLEAR, Source.REDIS),
					new BlacklistEvent("tokens", Outcome.REVOKED, Source.LOCAL));
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

		private static long onlyRowTtl(RedisFixture redis) {
			for (RedisEndpoint endpoint : primaries(redis)) {
				for (Object key : (List<?>) endpoint.command("KEYS", "*")) {
					assertThat(keys(redis)).hasSize(1);
					return (Long) endpoint.command("PTTL", (String) key);
				}
			}
			throw new AssertionError("No row");
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
