/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.test;

import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests for {@link TcpProxy}.
 */
class TcpProxyIntegrationTests {

	private TcpProxy proxy;

	@BeforeEach
	void setUp() {
		this.proxy = new TcpProxy(SharedRedis.standalone().primary());
	}

	@AfterEach
	void tearDown() {
		this.proxy.close();
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

	private RespClient connect() throws IOException {
		return new RespClient(this.proxy.host(), this.proxy.port());
	}

}
