/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.connection;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which adapter serves which factory.
 */
class GuardConnectionsTests {

	@Test
	void standaloneIsAsynchronous() {
		assertThat(isAsynchronous(new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", 1))))
			.isTrue();
	}

	@Test
	void fixedPrimaryAndReplicasAreNotTakenForALocalServer() {
		assertThat(
				isAsynchronous(new LettuceConnectionFactory(new RedisStaticMasterReplicaConfiguration("127.0.0.1", 1))))
			.isFalse();
	}

	private static boolean isAsynchronous(LettuceConnectionFactory factory) {
		try (GuardConnection connection = GuardConnections.from(factory, Duration.ofSeconds(5))) {
			return connection.isAsynchronous();
		}
	}

}
