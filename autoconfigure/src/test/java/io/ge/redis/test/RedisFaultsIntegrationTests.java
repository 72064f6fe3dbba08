// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * What a test can do to a {@link RedisNode}, on each version that is at hand.
 */
@Wide
@ParameterizedClass
@ValueSource(strings = { "6.2", "7.0" })
class RedisFaultsIntegrationTests {

	private static final Duration LOADING = Duration.ofMillis(500);

	private static final Duration PAUSE = Duration.ofMillis(300);

	private final String version;

	private StandaloneRedis redis;

	private RedisNode server;

	RedisFaultsIntegrationTests(String version) {
		this.version = version;
	}

	@BeforeEach
	void start() {
		assumeThat(RedisBinary.isPresent(this.version)).isTrue();
		this.redis = RedisServers.version(this.version).standalone();
		this.server = this.redis.primary();
	}

	@AfterEach
	void stop() {
		this.redis.close();
	}

	@Test
	void restartForgetsWhatWasNotSaved() {
		this.server.command("SET", "saved", "value");
		this.server.save();
		this.server.command("SET", "later", "value");
		this.server.restart();
		assertThat(this.server.command("GET", "saved")).isEqualTo("value");
		assertThat(this.server.command("GET", "later")).isNull();
	}

	@Test
	void restartKeepsWhatIsInTheAppendOnlyFile() {
		try (StandaloneRedis durable = RedisServers.version(this.version).standalone("appendonly yes")) {
			durable.primary().command("SET", "key", "value");
			durable.primary().restart();
			assertThat(durable.primary().command("GET", "key")).isEqualTo("value");
		}
	}

	@Test
	void slowStartAnswersLoadingUntilItIsLoaded() throws Exception {
		this.server.command("SET", "key", "value");
		during(LOADING, () -> {
			this.server.restartLoading(LOADING);
			boolean refused = isRefused("LOADING", "GET", "key");
			this.server.awaitLoaded();
			return refused;
		});
		assertThat(this.server.command("GET", "key")).isEqualTo("value");
		assertThat(this.server.info("keyspace", "db15")).isNull();
	}

	@Test
	void reloadAnswersLoadingOnConnectionsThatStayOpen() throws Exception {
		this.server.command("SET", "key", "value");
		try (RespClient client = connect()) {
			client.command("PING");
			during(LOADING, () -> {
				this.server.reload(LOADING);
				boolean refused = isRefused("LOADING", () -> client.command("GET", "key"));
				this.server.awaitLoaded();
				return refused;
			});
			assertThat(client.command("GET", "key")).isEqualTo("value");
		}
	}

	@Test
	void pausedClientsAreServedLater() throws Exception {
		try (RespClient client = connect()) {
			client.command("PING");
			during(PAUSE, () -> {
				this.server.pauseClients(PAUSE);
				return isAnsweredLater(client);
			});
		}
	}

	@Test
	void pausedWritesAndScriptsRunLater() throws IOException {
		try (RespClient client = connect(); RespClient scripting = connect()) {
			client.command("PING");
			scripting.command("PING");
			this.server.pauseWrites(Duration.ofMinutes(1));
			assertThat(client.command("GET", "key")).isNull();
			assertThat(client.hasReplyWithin(100, "SET", "key", "value")).isFalse();
			assertThat(scripting.hasReplyWithin(100, "EVAL", "return 1", "0")).isFalse();
			this.server.resumeWrites();
			assertThat(client.readReply()).isEqualTo("OK");
			assertThat(scripting.readReply()).isEqualTo(1L);
		}
	}

	@Test
	void clientsAreKilledByType() throws IOException {
		try (RespClient normal = connect(); RespClient subscribed = connect()) {
			normal.command("PING");
			subscribed.command("SUBSCRIBE", "channel");
			assertThat(this.server.killClients("pubsub")).isEqualTo(1);
			assertThatIOException().isThrownBy(subscribed::readReply);
			assertThat(normal.command("PING")).isEqualTo("PONG");
			assertThat(this.server.killClients("normal")).isEqualTo(1);
			assertThatIOException().isThrownBy(() -> normal.command("PING"));
		}
	}

	@Test
	void clientsAreKilledByName() throws IOException {
		try (RespClient named = connect(); RespClient other = connect()) {
			named.command("CLIENT", "SETNAME", "one");
			other.command("CLIENT", "SETNAME", "one-more");
			assertThat(this.server.killClientsNamed("one")).isEqualTo(1);
			assertThatIOException().isThrownBy(() -> named.command("PING"));
			assertThat(other.command("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void serverWithoutMemoryRefusesWrites() {
		this.server.command("SET", "key", "value");
		this.server.exhaustMemory();
		assertRefused("OOM", "SET", "other", "value");
		assertThat(this.server.command("DEL", "key")).isEqualTo(1L);
		this.server.freeMemory();
		assertThat(this.server.command("SET", "other", "value")).isEqualTo("OK");
	}

	@Test
	void evictedKeysAreGoneAndServerTakesWrites() {
		this.server.command("SET", "one", "value");
		this.server.command("SET", "other", "value");
		this.server.evict("one", "other");
		assertThat(this.server.command("EXISTS", "one", "other")).isEqualTo(0L);
		assertThat(Long.parseLong(this.server.info("stats", "evicted_keys"))).isGreaterThanOrEqualTo(2);
		assertThat(this.server.command("SET", "one", "value")).isEqualTo("OK");
		assertThat(this.redis.keysWithoutTtl()).containsExactly("one");
		this.server.freeMemory();
		assertThat(this.server.info("memory", "maxmemory_policy")).isEqualTo("noeviction");
	}

	@Test
	void forbiddenCommandIsRefusedUntilPermitted() {
		this.server.forbid("set");
		assertRefused("NOPERM", "SET", "key", "value");
		this.server.permit("set");
		assertThat(this.server.command("SET", "key", "value")).isEqualTo("OK");
	}

	@Test
	void demotedServerRefusesWritesUntilPromoted() {
		this.server.command("SET", "key", "value");
		this.server.demote();
		assertRefused("READONLY", "SET", "key", "other");
		assertThat(this.server.command("GET", "key")).isEqualTo("value");
		this.server.promote();
		assertThat(this.server.command("SET", "key", "other")).isEqualTo("OK");
	}

	/**
	 * Has something seen that is over soon: it is repeated if the machine was so slow
	 * that it was.
	 */
	private static void during(Duration time, Callable<Boolean> fault) throws Exception {
		for (int attempt = 0; attempt < 20; attempt++) {
			long started = System.nanoTime();
			if (fault.call()) {
				return;
			}
			assertThat(System.nanoTime() - started).as("it was not seen").isGreaterThan(time.toNanos());
		}
		throw new AssertionError("It was never seen");
	}

	private static boolean isAnsweredLater(RespClient client) throws IOException {
		boolean soon = client.hasReplyWithin(100, "PING");
		assertThat(client.readReply()).isEqualTo("PONG");
		return !soon;
	}

	private void assertRefused(String code, String... command) {
		assertThat(isRefused(code, command)).isTrue();
	}

	private boolean isRefused(String code, String... command) {
		return isRefused(code, () -> this.server.command(command));
	}

	private static boolean isRefused(String code, Callable<?> command) {
		try {
			command.call();
			return false;
		}
		catch (RedisErrorReplyException ex) {
			assertThat(ex).hasMessageStartingWith(code);
			return true;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private RespClient connect() throws IOException {
		return new RespClient(this.server.host(), this.server.port());
	}

}
