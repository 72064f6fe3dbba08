// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.ge.redis.OutageCause;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.blacklist.BlacklistEvent.Outcome;
import io.ge.redis.blacklist.BlacklistEvent.Source;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.test.RedisErrorReplyException;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link TokenBlacklist} on servers that fail.
 */
class BlacklistOutageIntegrationTests {

	private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);

	private static final Duration STALENESS = Duration.ofMillis(500);

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
			await().atMost(Duration.ofSeconds(10))
				.ignoreExceptions()
				.until(() -> denying.blacklist().revoke(TOKEN).isStored());
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
				Instance instance = new Instance(redis, Instance.properties(OutagePolicy.DENY, true, STALENESS),
						COMMAND_TIMEOUT)) {
			awaitClear(instance);
			redis.primary().pause();
			await().atMost(Duration.ofSeconds(10)).until(() -> !instance.isFresh());
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
	void localAnswersFromMemoryWhileItIsNotTooOldAndDeniesThen() throws Exception {
		try (StandaloneRedis redis = RedisServers.standalone();
				Instance patient = new Instance(redis, local(Duration.ofHours(1)), COMMAND_TIMEOUT);
				Instance impatient = new Instance(redis, local(Duration.ofMillis(300)), COMMAND_TIMEOUT)) {
			TokenIdentity revoked = TokenIdentity.of("issuer", "revoked", TOKEN.expiresAt());
			await().atMost(Duration.ofSeconds(10)).ignoreExceptions().until(impatient::answersFromMemory);
			awaitStored(patient, revoked);
			await().atMost(Duration.ofSeconds(10))
				.ignoreExceptions()
				.until(() -> patient.blacklist().block("ips", "10.0.0.1", Duration.ofMinutes(1)).isStored());
			for (Instance instance : List.of(patient, impatient)) {
				await().atMost(Duration.ofSeconds(10))
					.ignoreExceptions()
					.until(() -> instance.blacklist().isBlocked("ips", "10.0.0.1") && instance.answersFromMemory());
			}
			redis.primary().pause();
			await().atMost(Duration.ofSeconds(10)).until(() -> !patient.isFresh() && !impatient.isFresh());
			assertThat(patient.blacklist().check(TOKEN)).isEqualTo(TokenStatus.CLEAR);
			assertThat(patient.blacklist().isBlocked("ips", "10.0.0.1")).isTrue();
			assertThat(patient.blacklist().isBlocked("ips", "10.0.0.2")).isFalse();
			await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertUnavailable(impatient));
			assertThatExceptionOfType(RedisUnavailableException.class)
				.isThrownBy(() -> impatient.blacklist().isBlocked("ips", "10.0.0.1"));
			// What is known stays known
			assertThat(impatient.blacklist().check(revoked)).isEqualTo(TokenStatus.REVOKED);
			redis.primary().resume();
			awaitClear(impatient);
		}
	}

	private static BlacklistProperties local(Duration staleFor) {
		return new BlacklistProperties(true, null, OutagePolicy.LOCAL, Duration.ofMillis(200), 1000, staleFor,
				Duration.ofSeconds(60), Duration.ofSeconds(1), Duration.ofDays(30), true, true, null,
				UncheckedDecoder.FAIL, Map.of());
	}

	@Test
	@Wide
	void incompleteMemoryDecidesByNoPolicyButAllow() throws Exception {
		TokenIdentity revoked = TokenIdentity.of("issuer", "revoked", TOKEN.expiresAt());
		try (StandaloneRedis redis = RedisServers.standalone();
				Instance allowing = Instance.filtering(redis, OutagePolicy.ALLOW, COMMAND_TIMEOUT);
				Instance local = Instance.filtering(redis, OutagePolicy.LOCAL, COMMAND_TIMEOUT)) {
			awaitClear(allowing);
			awaitStored(allowing, revoked);
			for (Instance instance : List.of(allowing, local)) {
				await().ignoreExceptions().untilAsserted(() -> {
					instance.blacklist().check(TOKEN);
					instance.assertState("local.exact").isEqualTo(false);
					assertThat(instance.isFresh()).isTrue();
				});
			}
			redis.primary().pause();
			assertThat(allowing.blacklist().check(revoked)).isEqualTo(TokenStatus.CLEAR);
			assertThat(allowing.lastEvent().outcome()).isEqualTo(Outcome.ERROR);
			assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> local.blacklist().check(TOKEN));
			redis.primary().resume();
			await().ignoreExceptions().until(() -> allowing.blacklist().check(revoked) == TokenStatus.REVOKED);
		}
	}

	@Test
	@Wide
	void localDoesNotForgetWhatThisInstanceRevokedJustBeforeTheOutage() throws Exception {
		try (StandaloneRedis redis = RedisServers.standalone();
				Instance instance = new Instance(redis, Instance.properties(OutagePolicy.LOCAL, true),
						COMMAND_TIMEOUT)) {
			await().atMost(Duration.ofSeconds(10)).ignoreExceptions().until(instance::answersFromMemory);
			// Neither a look nor a message brings the change
			redis.primary().forbid("xrange");
			redis.primary().forbid("publish");
			awaitStored(instance, TOKEN);
			redis.primary().pause();
			assertUnavailable(instance);
			redis.primary().resume();
			redis.primary().permit("xrange");
			redis.primary().permit("publish");
			await().atMost(Duration.ofSeconds(10))
				.ignoreExceptions()
				.untilAsserted(() -> assertThat(instance.blacklist().check(TOKEN)).isEqualTo(TokenStatus.REVOKED));
			await().atMost(Duration.ofSeconds(10)).ignoreExceptions().until(instance::answersFromMemory);
			redis.primary().pause();
			TokenIdentity clear = TokenIdentity.of("issuer", "clear", TOKEN.expiresAt());
			await().atMost(Duration.ofSeconds(10)).until(() -> !instance.isFresh());
			assertThat(instance.blacklist().check(TOKEN)).isEqualTo(TokenStatus.REVOKED);
			assertThat(instance.blacklist().check(clear)).isEqualTo(TokenStatus.CLEAR);
			redis.primary().resume();
		}
	}

	/** A busy machine may need longer than the timeout. */
	private static void awaitStored(Instance instance, TokenIdentity token) {
		await().atMost(Duration.ofSeconds(10))
			.ignoreExceptions()
			.until(() -> instance.blacklist().revoke(token).isStored());
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

}
