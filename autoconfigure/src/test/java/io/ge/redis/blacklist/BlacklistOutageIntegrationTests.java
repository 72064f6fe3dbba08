/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import java.time.Duration;
import java.time.Instant;

import io.ge.redis.blacklist.BlacklistEvent.Outcome;
import io.ge.redis.blacklist.BlacklistEvent.Source;
import io.ge.redis.core.outage.OutageCause;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.test.ClusterRedis;
import io.ge.redis.test.RedisErrorReplyException;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link TokenBlacklist} on servers that fail.
 */
class BlacklistOutageIntegrationTests {

	private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);

	private static final TokenIdentity TOKEN = new TokenIdentity("issuer", "id", "alice", Instant.now(),
			Instant.now().plusSeconds(600), null);

	@Test
	void revokesAndBlocksWhenMemoryLimitIsReached() throws Exception {
		try (StandaloneRedis redis = RedisServers.standalone("maxmemory-policy noeviction");
				Instance instance = new Instance(redis)) {
			redis.primary().command("CONFIG", "SET", "maxmemory", "1");
			assertThatExceptionOfType(RedisErrorReplyException.class)
				.isThrownBy(() -> redis.primary().command("SET", "key", "value"))
				.withMessageStartingWith("OOM");
			assertThat(instance.blacklist().revoke(TOKEN).isStored()).isTrue();
			assertThat(instance.blacklist().check(TOKEN)).isEqualTo(TokenStatus.REVOKED);
			instance.blacklist().revokeAll("issuer", "bob");
			assertThat(instance.blacklist()
				.check(new TokenIdentity("issuer", "other", "bob", Instant.now(), TOKEN.expiresAt(), null)))
				.isEqualTo(TokenStatus.SUBJECT_REVOKED);
			instance.blacklist().block("ips", "10.0.0.1", Duration.ofMinutes(1));
			assertThat(instance.blacklist().isBlocked("ips", "10.0.0.1")).isTrue();
			assertThat(instance.blacklist().unblock("ips", "10.0.0.1")).isTrue();
			assertThat(redis.keysWithoutTtl()).isEmpty();
		}
	}

	@Test
	void deniesOrAllowsWhileServerIsStoppedAndRecovers() throws Exception {
		try (StandaloneRedis redis = RedisServers.standalone("appendonly yes", "appendfsync always");
				Instance denying = new Instance(redis);
				Instance allowing = new Instance(redis, Instance.properties(OutagePolicy.ALLOW, true),
						COMMAND_TIMEOUT)) {
			denying.blacklist().revoke(TOKEN);
			redis.primary().stop();
			assertUnavailable(denying);
			assertThat(allowing.blacklist().check(TOKEN)).isEqualTo(TokenStatus.CLEAR);
			assertThat(allowing.blacklist().isBlocked("ips", "10.0.0.1")).isFalse();
			assertThat(allowing.events()).contains(new BlacklistEvent("tokens", Outcome.ERROR, Source.REDIS));
			assertThatExceptionOfType(RedisUnavailableException.class)
				.isThrownBy(() -> allowing.blacklist().revoke(TOKEN));
			redis.primary().start();
			await().atMost(Duration.ofSeconds(10))
				.ignoreExceptions()
				.untilAsserted(() -> assertThat(denying.blacklist().check(TOKEN)).isEqualTo(TokenStatus.REVOKED));
			await().atMost(Duration.ofSeconds(10))
				.untilAsserted(() -> assertThat(allowing.blacklist().check(TOKEN)).isEqualTo(TokenStatus.REVOKED));
		}
	}

	@Test
	void deniesWithinBudgetWhileServerHangsAndRecovers() throws Exception {
		try (StandaloneRedis redis = RedisServers.standalone();
				Instance instance = new Instance(redis, Instance.properties(OutagePolicy.DENY, true),
						COMMAND_TIMEOUT)) {
			awaitClear(instance);
			redis.primary().pause();
			for (int i = 0; i < 4; i++) {
				Stopwatch watch = Stopwatch.start();
				assertUnavailable(instance);
				assertThat(watch.elapsed()).isLessThan(Duration.ofSeconds(1));
			}
			assertThat(instance.isAway()).isTrue();
			redis.primary().resume();
			awaitClear(instance);
		}
	}

	@Test
	void revocationOfUnknownOutcomeMayBeRepeated() throws Exception {
		try (StandaloneRedis redis = RedisServers.standalone();
				Instance instance = new Instance(redis, Instance.properties(OutagePolicy.DENY, true),
						COMMAND_TIMEOUT)) {
			awaitClear(instance);
			redis.primary().pause();
			assertThatExceptionOfType(RedisUnavailableException.class)
				.isThrownBy(() -> instance.blacklist().revoke(TOKEN))
				.matches(RedisUnavailableException::isOutcomeUnknown);
			redis.primary().resume();
			await().atMost(Duration.ofSeconds(10))
				.ignoreExceptions()
				.until(() -> instance.blacklist().revoke(TOKEN).isStored());
			assertThat(instance.blacklist().check(TOKEN)).isEqualTo(TokenStatus.REVOKED);
		}
	}

	@Test
	void oneAnswerOfTwoSlotsIsEnoughToRefuse() throws Exception {
		try (ClusterRedis redis = RedisServers.cluster("cluster-require-full-coverage no");
				Instance instance = new Instance(redis, Instance.properties(OutagePolicy.DENY, true),
						COMMAND_TIMEOUT)) {
			awaitClear(instance);
			Spread spread = onTwoNodes(redis, instance);
			instance.blacklist().revoke(spread.token());
			spread.nodeOfSubject().pause();
			assertThat(instance.blacklist().check(spread.token())).isEqualTo(TokenStatus.REVOKED);
			spread.nodeOfSubject().resume();
		}
	}

	// Finds a subject whose row would live on another node than that of its token
	private static Spread onTwoNodes(ClusterRedis redis, Instance instance) {
		for (int i = 0;; i++) {
			TokenIdentity token = new TokenIdentity("issuer", "id", "alice-" + i, Instant.now(),
					Instant.now().plusSeconds(600), null);
			redis.flushAll();
			instance.blacklist().revokeAll("issuer", "alice-" + i);
			RedisNode ofSubject = nodeWithRows(redis);
			redis.flushAll();
			instance.blacklist().revoke(token);
			RedisNode ofToken = nodeWithRows(redis);
			redis.flushAll();
			if (ofSubject != ofToken) {
				return new Spread(token, ofSubject);
			}
		}
	}

	private static RedisNode nodeWithRows(ClusterRedis redis) {
		return redis.nodes().stream().filter((node) -> size(node) > 0).findFirst().orElseThrow();
	}

	private static long size(RedisNode node) {
		return (Long) node.command("DBSIZE");
	}

	private static void awaitClear(Instance instance) {
		await().atMost(Duration.ofSeconds(10))
			.ignoreExceptions()
			.until(() -> instance.blacklist().check(TOKEN) == TokenStatus.CLEAR);
	}

	private static void assertUnavailable(Instance instance) {
		assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> instance.blacklist().check(TOKEN))
			.satisfies((ex) -> assertThat(ex.reason()).isIn(OutageCause.REFUSED, OutageCause.DISCONNECTED,
					OutageCause.TIMEOUT));
	}

	private record Spread(TokenIdentity token, RedisNode nodeOfSubject) {
	}

}
