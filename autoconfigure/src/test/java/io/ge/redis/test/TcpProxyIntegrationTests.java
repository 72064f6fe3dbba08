// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;

import io.ge.redis.test.TcpProxy.Direction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link TcpProxy}.
 */
@Wide
class TcpProxyIntegrationTests {

	private TcpProxy proxy;

	@BeforeEach
	void setUp() {
		SharedRedis.standalone().flushAll();
		this.proxy = new TcpProxy(SharedRedis.standalone().primary());
	}

	@AfterEach
	void tearDown() {
		this.proxy.close();
		SharedRedis.standalone().flushAll();
	}

	@Test
	void forwardsAndCountsCommandsByName() throws IOException {
		try (RespClient client = connect()) {
			assertThat(client.command("PING")).isEqualTo("PONG");
			assertThat(client.command("eval", "return ARGV[1]", "0", "x".repeat(100_000))).asString().hasSize(100_000);
			assertThat(client.command("PING", "*1\r\n$4\r\nPING\r\n")).isEqualTo("*1\r\n$4\r\nPING\r\n");
		}
		assertThat(this.proxy.commands()).isEqualTo(3);
		assertThat(this.proxy.commands("EVAL")).isEqualTo(1);
		assertThat(this.proxy.commands("ping")).isEqualTo(2);
		this.proxy.resetCounts();
		assertThat(this.proxy.commands()).isZero();
	}

	@Test
	void cutClosesConnectionsAndRefusesNewOnesUntilResumed() throws IOException {
		try (RespClient client = connect()) {
			client.command("PING");
			this.proxy.cut();
			assertThatIOException().isThrownBy(() -> client.command("PING"));
		}
		assertThatExceptionOfType(ConnectException.class).isThrownBy(this::connect);
		this.proxy.resume();
		try (RespClient client = connect()) {
			assertThat(client.command("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void closedConnectionsCanBeOpenedAgain() throws IOException {
		try (RespClient client = connect()) {
			client.command("PING");
			this.proxy.closeConnections();
			assertThatIOException().isThrownBy(() -> client.command("PING"));
		}
		try (RespClient client = connect()) {
			assertThat(client.command("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void hangHoldsBackRepliesUntilResumed() throws IOException {
		try (RespClient client = connect()) {
			client.command("PING");
			this.proxy.hang();
			assertThat(client.hasReplyWithin(100, "PING")).isFalse();
			this.proxy.resume();
			assertThat(client.readReply()).isEqualTo("PONG");
		}
	}

	@Test
	void latencyDelaysCommands() throws IOException {
		try (RespClient client = connect()) {
			client.command("PING");
			this.proxy.latency(Duration.ofMillis(100));
			long start = System.nanoTime();
			client.command("PING");
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(100));
		}
	}

	@Test
	void hangOfOneDirectionLetsTheOtherPass() throws IOException {
		try (RespClient client = connect()) {
			client.command("PING");
			this.proxy.hang(Direction.REPLIES);
			assertThat(client.hasReplyWithin(100, "SET", "key", "value", "PX", "60000")).isFalse();
			await().until(() -> "value".equals(SharedRedis.standalone().primary().command("GET", "key")));
			this.proxy.resume();
			assertThat(client.readReply()).isEqualTo("OK");
		}
	}

	@Test
	void swallowedRequestsNeverArriveAndConnectionSeemsOpen() throws IOException {
		try (RespClient client = connect()) {
			client.command("PING");
			this.proxy.swallow(Direction.REQUESTS);
			assertThat(client.hasReplyWithin(100, "SET", "key", "lost")).isFalse();
			this.proxy.resume();
			assertThatIOException().isThrownBy(client::readReply);
		}
		assertThat(this.proxy.resets()).isEqualTo(1);
		try (RespClient client = connect()) {
			assertThat(client.command("GET", "key")).isNull();
		}
	}

	@Test
	void swallowedRepliesLeaveOutcomeUnknown() throws IOException {
		try (RespClient client = connect()) {
			client.command("PING");
			this.proxy.swallow(Direction.REPLIES);
			assertThat(client.hasReplyWithin(100, "SET", "key", "value", "PX", "60000")).isFalse();
			await().until(() -> "value".equals(SharedRedis.standalone().primary().command("GET", "key")));
			this.proxy.resume();
			assertThatIOException().isThrownBy(client::readReply);
		}
	}

	@Test
	void peerThatGoesWhileRepliesAreSwallowedIsNotNoticed() throws IOException {
		try (RespClient client = connect()) {
			String id = String.valueOf(client.command("CLIENT", "ID"));
			this.proxy.swallow(Direction.REPLIES);
			assertThat(SharedRedis.standalone().primary().command("CLIENT", "KILL", "ID", id)).isEqualTo(1L);
			assertThat(client.hasReplyWithin(100, "PING")).isFalse();
			assertThat(client.hasReplyWithin(100, "PING")).isFalse();
			this.proxy.resume();
			assertThatIOException().isThrownBy(client::readReply);
		}
	}

	@Test
	void clientThatGoesWhileRequestsAreSwallowedIsNotNoticed() throws IOException {
		RespClient client = connect();
		String id = String.valueOf(client.command("CLIENT", "ID"));
		this.proxy.swallow(Direction.REQUESTS);
		client.close();
		await().during(Duration.ofMillis(100)).until(() -> isConnected(id));
		this.proxy.resume();
		await().until(() -> !isConnected(id));
	}

	@Test
	void bandwidthLimitsWhatArrives() throws IOException {
		try (RespClient client = connect()) {
			client.command("PING");
			this.proxy.bandwidth(Direction.REPLIES, 200_000);
			long start = System.nanoTime();
			client.command("EVAL", "return string.rep('x', 40000)", "0");
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(150));
			this.proxy.bandwidth(Direction.REPLIES, 0);
			this.proxy.bandwidth(Direction.REQUESTS, 200_000);
			start = System.nanoTime();
			assertThat(client.command("EVAL", "return #ARGV[1]", "0", "x".repeat(40_000))).isEqualTo(40_000L);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(150));
		}
	}

	@Test
	void resetAfterSomeBytesOfReplyLeavesOutcomeUnknown() throws IOException {
		try (RespClient client = connect()) {
			client.command("PING");
			this.proxy.resetAfter(Direction.REPLIES, 4);
			assertThatIOException().isThrownBy(() -> client.command("SET", "key", "value", "PX", "60000"));
		}
		try (RespClient client = connect()) {
			assertThat(client.command("GET", "key")).isEqualTo("value");
		}
		assertThat(this.proxy.resets()).isEqualTo(1);
	}

	@Test
	void resetAfterSomeBytesOfCommandKeepsItFromRunning() throws IOException {
		String command = "*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$4\r\nlost\r\n";
		for (int bytes : new int[] { 0, 1, command.length() - 1 }) {
			try (RespClient client = connect()) {
				client.command("PING");
				this.proxy.resetAfter(Direction.REQUESTS, bytes);
				assertThatIOException().isThrownBy(() -> client.command("SET", "key", "lost"));
			}
			assertThat(SharedRedis.standalone().primary().command("GET", "key")).as(bytes + " bytes").isNull();
		}
		try (RespClient client = connect()) {
			// A connection that is reset before the server has taken it is never read
			client.command("PING");
			this.proxy.resetAfter(Direction.REQUESTS, command.length());
			assertThatIOException().isThrownBy(() -> {
				client.command("SET", "key", "lost");
				client.command("PING");
			});
		}
		await().until(() -> "lost".equals(SharedRedis.standalone().primary().command("GET", "key")));
	}

	private static boolean isConnected(String id) {
		return String.valueOf(SharedRedis.standalone().primary().command("CLIENT", "LIST", "ID", id))
			.contains("id=" + id + " ");
	}

	private RespClient connect() throws IOException {
		return new RespClient(this.proxy.host(), this.proxy.port());
	}

}
