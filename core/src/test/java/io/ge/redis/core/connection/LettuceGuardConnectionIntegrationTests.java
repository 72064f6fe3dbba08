/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.connection;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The connection itself, with nothing around it.
 */
class LettuceGuardConnectionIntegrationTests {

	private static final PushSubscriber NOBODY = new PushSubscriber() {

		@Override
		public void onMessage(byte[] channel, byte[] message) {
		}

		@Override
		public void onSubscribed() {
		}

		@Override
		public void onLost() {
		}

	};

	@Test
	void closingEndsAnAttemptThatWaitsForItsTurn() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			redis.primary().pause();
			GuardConnection connection = GuardConnections.from(new LettuceConnectionFactory(
					new RedisClusterConfiguration().clusterNode(redis.primary().host(), redis.primary().port())),
					Duration.ofSeconds(5));
			// Both threads that connect wait for the map of the cluster
			PushSubscription first = connection.subscribe(NOBODY, List.of("a".getBytes()));
			PushSubscription second = connection.subscribe(NOBODY, List.of("b".getBytes()));
			CompletionStage<Void> attempt = connection.reopen(Duration.ofHours(1));
			assertThat(attempt.toCompletableFuture()).isNotDone();
			first.close();
			second.close();
			connection.close();
			assertThat(attempt.toCompletableFuture()).isCompletedExceptionally();
			redis.primary().resume();
		}
	}

}
