// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.resource.ClientResources;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/**
 * Tests for {@link LettuceClusterClient}.
 */
class LettuceClusterClientTests {

	private static final RedisURI REMOVED = RedisURI.create("127.0.0.1", 1);

	private static final RedisURI MEMBER = RedisURI.create("127.0.0.1", 2);

	/** It keeps its epoch when it is reset. */
	private static final String ALONE = "1111 127.0.0.1:1@11 myself,master - 0 0 9 connected\n";

	private static final String MAP = "2222 127.0.0.1:2@12 myself,master - 0 0 3 connected 0-16383\n";

	private final ClientResources resources = ClientResources.create();

	private String ofMember = MAP;

	private final LettuceClusterClient client = client();

	private LettuceClusterClient client() {
		LettuceClusterClient client = new LettuceClusterClient(this.resources, List.of(REMOVED, MEMBER),
				(server) -> opened(server.getPort() == 1 ? ALONE : this.ofMember));
		client.setOptions(ClusterClientOptions.create());
		return client;
	}

	@AfterEach
	void close() {
		this.client.shutdown(Duration.ZERO, Duration.ZERO);
		this.resources.shutdown(0, 2, TimeUnit.SECONDS);
	}

	@Test
	void seedThatLeftTheClusterDoesNotReplaceItsMap() {
		assertThat(this.client.loadPartitionsAsync()).succeedsWithin(Duration.ofSeconds(5))
			.satisfies((map) -> assertThat(map.getPartitionBySlot(0).getUri().getPort()).isEqualTo(2));
	}

	@Test
	void mapWithoutSlotsIsRefusedWithTheServer() {
		this.ofMember = ALONE;
		assertThat(this.client.loadPartitionsAsync()).failsWithin(Duration.ofSeconds(5))
			.withThrowableOfType(Exception.class)
			.withMessageContaining("Redis at 127.0.0.1:1 knows no server with slots");
	}

	@SuppressWarnings("unchecked")
	private static CompletionStage<StatefulRedisConnection<String, String>> opened(String nodes) {
		RedisFuture<String> answer = mock(RedisFuture.class);
		when(answer.toCompletableFuture()).thenReturn(CompletableFuture.completedFuture(nodes));
		RedisAsyncCommands<String, String> commands = mock(RedisAsyncCommands.class);
		when(commands.clusterNodes()).thenReturn(answer);
		StatefulRedisConnection<String, String> connection = mock(StatefulRedisConnection.class);
		when(connection.async()).thenReturn(commands);
		return CompletableFuture.completedFuture(connection);
	}

}
