// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.lettuce.core.protocol.RedisHandshakeHandler;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
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

	/**
	 * The driver would end it later, and complain if its threads have ended by then.
	 */
	@Test
	void handshakeOfARefusedConnectionEndsAtOnce() {
		CompletableFuture<RedisHandshakeHandler> handshake = new CompletableFuture<>();
		ClientResources resources = ClientResources.builder().nettyCustomizer(new NettyCustomizer() {

			@Override
			public void afterChannelInitialized(Channel channel) {
				handshake.complete(channel.pipeline().get(RedisHandshakeHandler.class));
			}

		}).build();
		try (GuardConnection connection = GuardConnections
			.from(new LettuceConnectionFactory(new RedisStandaloneConfiguration("localhost", 1),
					LettuceClientConfiguration.builder().clientResources(resources).build()), () -> null)) {
			assertThat(connection.reopen(Duration.ofSeconds(5))).failsWithin(Duration.ofSeconds(5));
			assertThat(handshake.join().channelInitialized()).failsWithin(Duration.ofSeconds(5))
				.withThrowableThat()
				.withCauseInstanceOf(ConnectException.class);
		}
		finally {
			resources.shutdown();
		}
	}

	@Test
	void closingEndsAnAttemptThatWaitsForItsTurn() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			redis.primary().pause();
			GuardConnection connection = GuardConnections.from(new LettuceConnectionFactory(
					new RedisClusterConfiguration().clusterNode(redis.primary().host(), redis.primary().port())),
					() -> null);
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
