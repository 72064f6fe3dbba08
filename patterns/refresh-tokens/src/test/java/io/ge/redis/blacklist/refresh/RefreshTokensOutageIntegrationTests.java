// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.refresh;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.blacklist.refresh.RefreshTokenEvent.Outcome;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TcpProxy;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RefreshTokens} on servers that fail.
 */
class RefreshTokensOutageIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(300);

	private static final Duration GRACE = Duration.ofMillis(800);

	/**
	 * The server replaces the token at once, nobody hears of it, and when the network is
	 * back the grace is long over.
	 */
	@Test
	void outageThatIsLongerThanTheGraceMakesThievesOfNobody() throws Exception {
		try (StandaloneRedis redis = RedisServers.standalone();
				TcpProxy network = new TcpProxy(redis.primary());
				RefreshInstance instance = new RefreshInstance(factory(network), GRACE, COMMAND_TIMEOUT)) {
			RefreshToken token = issue(instance);
			String another = TokenText.first(new Random()).value();
			// The server knows the script
			await().atMost(PATIENCE)
				.ignoreExceptionsInstanceOf(RedisUnavailableException.class)
				.untilAsserted(
						() -> assertThat(instance.tokens().rotate(another)).isInstanceOf(Rotation.Unknown.class));
			network.swallow(TcpProxy.Direction.REPLIES);
			assertUnavailable(instance, token.value());
			await().atMost(PATIENCE).until(() -> field(redis, "generation").equals("1"));
			await().atMost(PATIENCE).until(() -> {
				assertUnavailable(instance, another);
				return instance.isAway();
			});
			network.cut();
			long graceIsOver = millis(redis) + GRACE.toMillis();
			await().atMost(PATIENCE).until(() -> millis(redis) > graceIsOver);
			network.resume();
			Rotation rotation = awaitAnswer(instance, token);
			assertThat(rotation).isInstanceOf(Rotation.Repeated.class);
			// With the time of a busy machine, whose first answer must not come too late
			try (RefreshInstance patient = new RefreshInstance(redis, GRACE)) {
				assertThat(awaitAnswer(patient, ((Rotation.Accepted) rotation).token()))
					.isInstanceOf(Rotation.Rotated.class);
			}
			assertThat(instance.outcomes()).contains(Outcome.ERROR).doesNotContain(Outcome.REUSED);
		}
	}

	@Test
	@Wide
	void twinThatDoesNotBlockFailsAsTheOther() {
		try (StandaloneRedis redis = RedisServers.standalone();
				RefreshInstance instance = new RefreshInstance(redis, GRACE)) {
			RefreshToken token = issue(instance);
			redis.primary().kill();
			assertThat(instance.tokens().rotateAsync(token.value())).failsWithin(PATIENCE)
				.withThrowableThat()
				.isInstanceOf(ExecutionException.class)
				.withCauseInstanceOf(RedisUnavailableException.class);
			assertThat(instance.outcomes()).endsWith(Outcome.ERROR);
		}
	}

	/**
	 * The server of the sessions replaces the token, and the one of the blacklist cannot
	 * say whether it may be given out. When it can, the grace is long over.
	 */
	@Test
	@Wide
	void outageOfTheBlacklistThatIsLongerThanTheGraceMakesThievesOfNobody() {
		try (StandaloneRedis sessions = RedisServers.standalone();
				StandaloneRedis blacklist = RedisServers.standalone();
				RefreshInstance instance = new RefreshInstance(sessions.connectionFactory(),
						blacklist.connectionFactory(), GRACE, COMMAND_TIMEOUT)) {
			RefreshToken token = issue(instance);
			blacklist.primary().pauseWrites(PATIENCE.multipliedBy(6));
			assertUnavailable(instance, token.value());
			await().atMost(PATIENCE).until(() -> field(sessions, "generation").equals("1"));
			long graceIsOver = millis(sessions) + GRACE.toMillis();
			await().atMost(PATIENCE).until(() -> millis(sessions) > graceIsOver);
			blacklist.primary().resumeWrites();
			Rotation repeated = awaitAnswer(instance, token);
			assertThat(repeated).isInstanceOf(Rotation.Repeated.class);
			// Repeated, where a busy machine has let the first answer come too late
			assertThat(awaitAnswer(instance, ((Rotation.Accepted) repeated).token()))
				.isInstanceOf(Rotation.Accepted.class);
		}
	}

	@Test
	void flushedSessionsAreUnknownAndNotReused() {
		try (StandaloneRedis redis = RedisServers.standalone();
				RefreshInstance instance = new RefreshInstance(redis, GRACE)) {
			RefreshToken token = issue(instance);
			RefreshToken successor = successor(awaitAnswer(instance, token));
			redis.flushAll();
			assertThat(instance.tokens().rotate(successor.value())).isInstanceOf(Rotation.Unknown.class);
			assertThat(instance.tokens().rotate(token.value())).isInstanceOf(Rotation.Unknown.class);
			assertThat(redis.keysWithoutTtl()).isEmpty();
		}
	}

	/**
	 * As after a failover to a replica that had not received the latest.
	 */
	@Test
	void serverThatHasLostTheLatestKnowsNoSuccessorAndReplacesThePredecessor() {
		try (StandaloneRedis redis = RedisServers.standalone();
				RefreshInstance instance = new RefreshInstance(redis, GRACE)) {
			RefreshToken token = issue(instance);
			redis.primary().save();
			RefreshToken lost = successor(awaitAnswer(instance, token));
			redis.primary().kill();
			redis.primary().start();
			assertThat(awaitAnswer(instance, lost)).isInstanceOf(Rotation.Unknown.class);
			RefreshToken successor = successor(awaitAnswer(instance, token));
			assertThat(successor.value()).isNotEqualTo(lost.value());
			assertThat(awaitAnswer(instance, lost)).isInstanceOf(Rotation.Unknown.class);
			assertThat(awaitAnswer(instance, successor)).isInstanceOf(Rotation.Rotated.class);
		}
	}

	@Test
	void killedServerKeepsWhatIsOnDisk() {
		try (StandaloneRedis redis = RedisServers.standalone("appendonly yes", "appendfsync always");
				RefreshInstance instance = new RefreshInstance(redis, Duration.ZERO)) {
			RefreshToken token = issue(instance);
			RefreshToken successor = successor(awaitAnswer(instance, token));
			redis.primary().kill();
			assertThatExceptionOfType(RedisUnavailableException.class)
				.isThrownBy(() -> instance.tokens().rotate(successor.value()));
			redis.primary().start();
			RefreshToken latest = successor(awaitAnswer(instance, successor));
			assertThat(awaitAnswer(instance, token)).isInstanceOf(Rotation.Reused.class);
			assertThat(awaitAnswer(instance, latest)).isInstanceOf(Rotation.Reused.class);
		}
	}

	@Test
	void replacesAndEndsWhenMemoryLimitIsReached() {
		try (StandaloneRedis redis = RedisServers.standalone("maxmemory-policy noeviction");
				RefreshInstance instance = new RefreshInstance(redis, Duration.ZERO)) {
			RefreshToken token = issue(instance);
			RefreshToken other = issue(instance);
			redis.primary().command("CONFIG", "SET", "maxmemory", "1");
			RefreshToken successor = successor(instance.tokens().rotate(token.value()));
			assertThat(instance.tokens().rotate(token.value())).isInstanceOf(Rotation.Reused.class);
			assertThat(instance.tokens().rotate(successor.value())).isInstanceOf(Rotation.Reused.class);
			assertThat(instance.tokens().revoke(other.value())).isTrue();
			assertThatExceptionOfType(RedisUnavailableException.class)
				.isThrownBy(() -> instance.tokens().issue("issuer", "anna"));
		}
	}

	/**
	 * The session ends before the blacklist hears of it: what is left undone by an outage
	 * in between is done with the next token of the session.
	 */
	@Test
	void sessionThatTheBlacklistDidNotHearOfIsMadeUpFor() {
		try (StandaloneRedis redis = RedisServers.standalone();
				RefreshInstance instance = new RefreshInstance(redis, Duration.ZERO)) {
			RefreshToken token = issue(instance);
			RefreshToken loggedOut = issue(instance);
			RefreshToken successor = successor(instance.tokens().rotate(token.value()));
			redis.primary().forbid("zadd");
			assertUnavailable(instance, token.value());
			assertThatExceptionOfType(RedisUnavailableException.class)
				.isThrownBy(() -> instance.tokens().revoke(loggedOut.value()));
			redis.primary().permit("zadd");
			assertThat(awaitAnswer(instance, successor)).isInstanceOf(Rotation.Reused.class)
				.extracting("first")
				.isEqualTo(true);
			assertThat(awaitAnswer(instance, loggedOut)).isInstanceOf(Rotation.Revoked.class);
			Set<String> rows = new TreeSet<>();
			((List<?>) redis.primary().command("ZRANGE", "ge:blacklist:{all}:rows1", "0", "-1"))
				.forEach((row) -> rows.add(String.valueOf(row)));
			assertThat(rows).hasSize(2).allMatch((row) -> row.startsWith("s"));
		}
	}

	private static RefreshToken issue(RefreshInstance instance) {
		return await().atMost(PATIENCE)
			.ignoreExceptions()
			.until(() -> instance.tokens().issue("issuer", "anna"), (token) -> true);
	}

	private static Rotation awaitAnswer(RefreshInstance instance, RefreshToken token) {
		return await().atMost(PATIENCE)
			.ignoreExceptionsInstanceOf(RedisUnavailableException.class)
			.until(() -> instance.tokens().rotate(token.value()), (rotation) -> true);
	}

	private static RefreshToken successor(Rotation rotation) {
		assertThat(rotation).isInstanceOf(Rotation.Rotated.class);
		return ((Rotation.Rotated) rotation).token();
	}

	private static void assertUnavailable(RefreshInstance instance, String presented) {
		assertThatExceptionOfType(RedisUnavailableException.class)
			.isThrownBy(() -> instance.tokens().rotate(presented));
	}

	private static LettuceConnectionFactory factory(TcpProxy network) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(network.host(), network.port());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static String field(StandaloneRedis redis, String name) {
		List<?> keys = (List<?>) redis.primary().command("KEYS", "*refresh*");
		return String.valueOf(redis.primary().command("HGET", (String) keys.get(0), name));
	}

	private static long millis(StandaloneRedis redis) {
		List<?> time = (List<?>) redis.primary().command("TIME");
		return Long.parseLong((String) time.get(0)) * 1000 + Long.parseLong((String) time.get(1)) / 1000;
	}

}
