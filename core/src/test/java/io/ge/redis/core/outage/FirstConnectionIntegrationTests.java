// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.ge.redis.OutageCause;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TcpProxy;
import io.ge.redis.test.TestBackend;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The first connection of an application: what keeps it from being made is named, and
 * slowness is no outage.
 */
@ExtendWith(OutputCaptureExtension.class)
class FirstConnectionIntegrationTests {

	private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(50);

	@Test
	void portWithoutServerIsRefused(CapturedOutput output) {
		assertCause("localhost", 1, (servers) -> {
		}, OutageCause.REFUSED);
		assertThat(output).contains("WARN", "REFUSED", "set spring.data.redis.host or add org.signal:embedded-redis.");
	}

	@Test
	void hostThatDoesNotExistIsUnknown() {
		assertCause("no-such-host.invalid", 6379, (servers) -> {
		}, OutageCause.UNKNOWN_HOST);
	}

	@Test
	void wrongPasswordIsAnErrorOfCredentials(CapturedOutput output) {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			redis.primary().command("ACL", "SETUSER", "anna", "on", ">right", "~*", "+@all");
			assertCause(redis.primary().host(), redis.primary().port(), (servers) -> {
				servers.setUsername("anna");
				servers.setPassword("wrong");
			}, OutageCause.CREDENTIALS);
		}
		assertThat(output).contains("ERROR").doesNotContain("wrong");
	}

	@Test
	void serverWithoutTlsIsAnErrorOfTls(CapturedOutput output) throws IOException {
		try (ServerSocket server = new ServerSocket(0)) {
			Thread answers = new Thread(() -> answerInPlainText(server));
			answers.setDaemon(true);
			answers.start();
			assertCause(
					new LettuceConnectionFactory(new RedisStandaloneConfiguration("localhost", server.getLocalPort()),
							LettuceClientConfiguration.builder().useSsl().build()),
					OutageCause.TLS);
		}
		assertThat(output).contains("ERROR");
	}

	private static void answerInPlainText(ServerSocket server) {
		try {
			while (true) {
				Socket client = server.accept();
				client.getOutputStream().write("-ERR plain text\r\n".getBytes(StandardCharsets.US_ASCII));
			}
		}
		catch (IOException ex) {
			// closed
		}
	}

	@Test
	@Wide
	void serverThatNeverAnswersIsATimeoutOfTheConnection(CapturedOutput output) {
		try (TcpProxy proxy = new TcpProxy(SharedRedis.standalone().primary())) {
			proxy.hang();
			assertCause(new LettuceConnectionFactory(proxy.host(), proxy.port()), OutageCause.CONNECT_TIMEOUT);
			// Not when the driver has given up for the first time
			assertThat(output).contains("No connection within 5000 ms");
		}
	}

	/** The handshake takes more than a second, and each answer more than a budget. */
	@Test
	void slowFirstAnswersAreNoOutage() {
		try (TcpProxy proxy = new TcpProxy(SharedRedis.standalone().primary())) {
			proxy.latency(TcpProxy.Direction.REPLIES, Duration.ofMillis(550));
			try (TestBackend backend = TestBackend.on(new LettuceConnectionFactory(proxy.host(), proxy.port()),
					"instance-1", COMMAND_TIMEOUT)) {
				// Repeated, as a busy machine may need more than two seconds. One at a
				// time, as the proxy delays each of many replies after the one before
				Awaitility.await().until(() -> {
					call(backend.get()).exceptionally((failure) -> null).join();
					return backend.get().redis("test").newBudget();
				}, (budget) -> budget.remainingNanos() == COMMAND_TIMEOUT.toNanos());
				assertThat(backend.failures()).isSubsetOf(OutageCause.TIMEOUT);
				Awaitility.await().until(() -> !backend.get().breaker().isOpen());
				assertThat(call(backend.get())).failsWithin(Duration.ofSeconds(5));
				assertThat(backend.failures()).containsOnly(OutageCause.TIMEOUT);
			}
		}
	}

	private static CompletableFuture<ScriptReply> call(RedisBackend backend) {
		GuardedRedis redis = backend.redis("test");
		return redis.run(ScriptCall.of(LuaScript.load(RedisBackend.class, "probe.lua"),
				new KeySpace("ge", "test").entity(KeyPart.of("entity"))), redis.newBudget());
	}

	private static void assertCause(String host, int port, Consumer<RedisStandaloneConfiguration> credentials,
			OutageCause cause) {
		RedisStandaloneConfiguration servers = new RedisStandaloneConfiguration(host, port);
		credentials.accept(servers);
		assertCause(new LettuceConnectionFactory(servers), cause);
	}

	private static void assertCause(LettuceConnectionFactory factory, OutageCause cause) {
		try (TestBackend backend = TestBackend.on(factory, "instance-1", COMMAND_TIMEOUT)) {
			Awaitility.await().until(() -> backend.get().breaker().isOpen());
			assertThat(backend.get().breaker().openCause()).isEqualTo(cause);
			assertThat(call(backend.get())).failsWithin(Duration.ZERO)
				.withThrowableThat()
				.withMessageEndingWith(": " + cause.tag());
		}
	}

}
