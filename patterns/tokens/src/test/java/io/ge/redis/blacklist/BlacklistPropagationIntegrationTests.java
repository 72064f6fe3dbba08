// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.blacklist.BlacklistEvent.Outcome;
import io.ge.redis.blacklist.BlacklistEvent.Source;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TcpProxy;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How revocations reach another instance, behind a network that fails.
 */
class BlacklistPropagationIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final Duration BUDGET = Duration.ofMillis(500);

	private static final Duration STALENESS = Duration.ofSeconds(1);

	private static final Instant LATER = Instant.now().plusSeconds(3600);

	private StandaloneRedis redis;

	private TcpProxy network;

	/** Reaches Redis directly. */
	private Instance near;

	/** Reaches Redis through the network. */
	private Instance far;

	@BeforeEach
	void start() {
		this.redis = RedisServers.standalone();
		this.network = new TcpProxy(this.redis.primary());
		BlacklistProperties properties = Instance.properties(OutagePolicy.DENY, true, STALENESS);
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(this.network.host(), this.network.port()));
		factory.afterPropertiesSet();
		factory.start();
		// A busy machine is no outage
		this.near = new Instance(this.redis, properties, Duration.ofSeconds(5));
		this.far = new Instance(factory, properties, BUDGET);
		awaitFromMemory(this.near);
		awaitFromMemory(this.far);
	}

	@AfterEach
	void stop() {
		this.near.close();
		this.far.close();
		this.network.close();
		this.redis.close();
	}

	@Test
	@Sized
	void instanceThatIsCutOffAnswersNoLongerThanPropagationIsAwaited() {
		int rounds = 0;
		for (int i = 0; rounds < (Wide.RUN ? 3 : 1); i++) {
			TokenIdentity token = token("cut-off-" + i);
			awaitFromMemory(this.far);
			this.network.hang();
			if (!isLetIn(this.far, token)) {
				retry(i);
				continue;
			}
			rounds++;
			Revocation revocation = this.near.blacklist().revoke(token);
			assertThat(revocation.awaitPropagation(PATIENCE)).isTrue();
			assertThat(isLetIn(this.far, token)).isFalse();
			this.network.resume();
			await().atMost(PATIENCE).ignoreExceptions().until(() -> this.far.blacklist().isRevoked(token));
		}
	}

	@Test
	@Wide
	void instanceThatRedisHasForgottenAnswersNoLongerThanPropagationIsAwaited() {
		int rounds = 0;
		for (int i = 0; rounds < 3; i++) {
			TokenIdentity token = token("forgotten-" + i);
			awaitFromMemory(this.far);
			this.network.hang();
			this.redis.flushAll();
			Revocation revocation = this.near.blacklist().revoke(token);
			if (!isLetIn(this.far, token)) {
				retry(i);
				continue;
			}
			rounds++;
			assertThat(revocation.awaitPropagation(PATIENCE)).isTrue();
			assertThat(isLetIn(this.far, token)).isFalse();
			this.network.resume();
		}
	}

	@Test
	void awaitingEndsInTimeWhileAnInstanceMayStillAnswer() {
		Revocation revocation;
		boolean known;
		long started;
		int attempt = 0;
		do {
			retry(attempt++);
			awaitFromMemory(this.far);
			started = System.nanoTime();
			this.network.hang();
			revocation = this.near.blacklist().revoke(token("impatient-" + attempt));
			known = revocation.awaitPropagation(Duration.ofMillis(1));
		}
		while (known && System.nanoTime() - started > STALENESS.dividedBy(4).toNanos());
		assertThat(known).isFalse();
		assertThat(revocation.awaitPropagation(PATIENCE)).isTrue();
	}

	@Test
	@Wide
	void instanceThatWasCutOffMissesNothing() {
		List<TokenIdentity> tokens = new ArrayList<>();
		this.network.cut();
		for (int i = 0; i < 100; i++) {
			tokens.add(token("missed-" + i));
			this.near.blacklist().revoke(tokens.get(i));
		}
		this.network.resume();
		assertThat(this.near.blacklist().revoke(token("last")).awaitPropagation(PATIENCE)).isTrue();
		assertAllKnown(this.far, tokens);
	}

	@Test
	@Sized
	void instanceThatHearsNoMessagesLooks() {
		this.redis.primary().forbid("publish");
		for (int i = 0; i < (Wide.RUN ? 5 : 2); i++) {
			TokenIdentity token = token("silent-" + i);
			Revocation revocation = this.near.blacklist().revoke(token);
			assertThat(revocation.awaitPropagation(PATIENCE)).isTrue();
			assertThat(this.far.blacklist().check(token)).isEqualTo(TokenStatus.REVOKED);
		}
	}

	@Test
	void revocationIsTakenFromItsMessage() {
		// No look finds it
		this.redis.primary().forbid("xrange");
		TokenIdentity token = token("told");
		this.near.blacklist().withReason("stolen").revoke(token);
		BlacklistEvent told = new BlacklistEvent("tokens", Outcome.REVOKED, Source.LOCAL, "stolen");
		await().atMost(PATIENCE).untilAsserted(() -> {
			this.far.blacklist().check(token);
			assertThat(this.far.lastEvent()).isEqualTo(told);
		});
		this.redis.primary().permit("xrange");
	}

	@Test
	@Wide
	void tenThousandRevocationsWhileConnectionsFlapAndInstancesRestart() throws Exception {
		List<TokenIdentity> tokens = new ArrayList<>();
		Instance restarting = new Instance(this.redis);
		try {
			for (int i = 0; i < 10_000; i++) {
				TokenIdentity token = token("flapping-" + i);
				if (i % 500 == 250) {
					this.redis.primary().command("CLIENT", "KILL", "TYPE", (i % 1000 < 500) ? "normal" : "pubsub");
				}
				if (i % 1000 == 100) {
					this.network.closeConnections();
				}
				if (i % 2000 == 700) {
					restarting.close();
					restarting = new Instance(this.redis);
				}
				restarting.blacklist().isBlocked("nobody", "minds");
				await().pollInSameThread()
					.pollInterval(Duration.ofMillis(10))
					.pollDelay(Duration.ZERO)
					.atMost(PATIENCE)
					.ignoreExceptions()
					.until(() -> this.near.blacklist().revoke(token).isStored());
				tokens.add(token);
			}
			assertThat(this.near.blacklist().revoke(token("last")).awaitPropagation(PATIENCE)).isTrue();
			assertAllKnown(this.far, tokens);
			assertAllKnown(restarting, tokens);
		}
		finally {
			restarting.close();
		}
	}

	private static void assertAllKnown(Instance instance, List<TokenIdentity> tokens) {
		awaitFromMemory(instance);
		int attempt = 0;
		for (TokenIdentity token : tokens) {
			while (!isKnown(instance, token)) {
				// The machine was too slow: what the instance remembers was too old
				assertThat(attempt++).as("attempts").isLessThan(30);
				awaitFromMemory(instance);
			}
		}
	}

	private static boolean isKnown(Instance instance, TokenIdentity token) {
		instance.events().clear();
		try {
			assertThat(instance.blacklist().check(token)).as(String.valueOf(token.id())).isEqualTo(TokenStatus.REVOKED);
		}
		catch (RedisUnavailableException ex) {
			return false;
		}
		return instance.lastEvent().source() == Source.LOCAL;
	}

	/**
	 * The machine was too slow: what the instance remembers was too old already.
	 */
	private void retry(int attempt) {
		assertThat(attempt).as("attempts").isLessThan(30);
		this.network.resume();
	}

	private static boolean isLetIn(Instance instance, TokenIdentity token) {
		try {
			return instance.blacklist().check(token) == TokenStatus.CLEAR;
		}
		catch (RedisUnavailableException ex) {
			return false;
		}
	}

	private static void awaitFromMemory(Instance instance) {
		await().atMost(PATIENCE).ignoreExceptions().until(instance::answersFromMemory);
	}

	private static TokenIdentity token(String id) {
		return TokenIdentity.of("issuer", id, LATER);
	}

}
