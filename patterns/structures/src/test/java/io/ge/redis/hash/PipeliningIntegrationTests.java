// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.hash;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.ge.redis.core.structure.Bound;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TcpProxy;
import io.ge.redis.test.TcpProxy.Direction;
import io.ge.redis.test.TestBackend;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Asynchronous calls that are made together cost about one round trip.
 */
class PipeliningIntegrationTests {

	private static final int CALLS = 100;

	/** How many reads left in each flush that had some. */
	private final Queue<Integer> flushes = new ConcurrentLinkedQueue<>();

	private StandaloneRedis redis;

	private TcpProxy network;

	private ClientResources resources;

	private TestBackend backend;

	private HashStore store;

	@BeforeEach
	void connect() {
		this.redis = RedisServers.standalone();
		this.network = new TcpProxy(this.redis.primary());
		this.resources = ClientResources.builder().nettyCustomizer(new FlushCounter()).build();
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(this.network.host(), this.network.port()),
				LettuceClientConfiguration.builder().clientResources(this.resources).build());
		factory.afterPropertiesSet();
		factory.start();
		this.backend = TestBackend.on(factory, "instance-1");
		HashProperties properties = Bound.of(HashProperties.class, "ge.redis.hash.stores", "agents.ttl", "1h");
		this.store = new RedisHashStore(properties, this.backend.get(), JsonMapper.shared());
		this.store.put("agents", "a", Map.of("status", "idle"));
		assertThat(this.store.get("agents", "a", Map.class)).isPresent();
	}

	@AfterEach
	void disconnect() {
		this.backend.close();
		this.resources.shutdown(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
		this.network.close();
		this.redis.close();
	}

	@Test
	void noCallWaitsForTheReplyOfAnother() {
		this.network.resetCounts();
		this.network.hang(Direction.REPLIES);
		List<CompletableFuture<?>> reads = read(CALLS);
		await().atMost(Duration.ofSeconds(4)).until(() -> this.network.commands("hmget") == CALLS);
		assertThat(reads).noneMatch(CompletableFuture::isDone);
		this.network.resume();
		assertThat(reads).allSatisfy((read) -> assertThat(read).succeedsWithin(Duration.ofSeconds(5)));
		assertThat(this.network.commands("hmget")).isEqualTo(CALLS);
	}

	@Test
	void whatTheDriverFindsTogetherLeavesInTwoFlushes() throws Exception {
		leavesInTwoFlushes(10);
		leavesInTwoFlushes(CALLS);
	}

	private void leavesInTwoFlushes(int calls) throws Exception {
		CountDownLatch busy = new CountDownLatch(1);
		CountDownLatch called = new CountDownLatch(1);
		// A driver that is quicker than the caller would find one call at a time
		this.network.hang(Direction.REPLIES);
		CompletableFuture<Void> first = this.store.getAsync("agents", "a", Map.class).thenAccept((agent) -> {
			busy.countDown();
			awaitQuietly(called);
		});
		this.network.resume();
		assertThat(busy.await(5, TimeUnit.SECONDS)).isTrue();
		this.flushes.clear();
		List<CompletableFuture<?>> reads = read(calls);
		called.countDown();
		assertThat(first).succeedsWithin(Duration.ofSeconds(5));
		assertThat(reads).allSatisfy((read) -> assertThat(read).succeedsWithin(Duration.ofSeconds(5)));
		// The first commands and the rest
		assertThat(this.flushes).hasSize(2);
		assertThat(this.flushes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(calls);
	}

	private List<CompletableFuture<?>> read(int calls) {
		return IntStream.range(0, calls)
			.<CompletableFuture<?>>mapToObj((i) -> this.store.getAsync("agents", "a", Map.class, "status"))
			.toList();
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await(5, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Counts writes to the socket. Others than reads do not count, such as signs of life
	 * to other instances.
	 */
	private final class FlushCounter implements NettyCustomizer {

		@Override
		public void afterChannelInitialized(Channel channel) {
			channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {

				private int reads;

				@Override
				public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
					if (((ByteBuf) message).toString(StandardCharsets.UTF_8).contains("HMGET")) {
						this.reads++;
					}
					context.write(message, promise);
				}

				@Override
				public void flush(ChannelHandlerContext context) {
					if (this.reads > 0) {
						PipeliningIntegrationTests.this.flushes.add(this.reads);
						this.reads = 0;
					}
					context.flush();
				}

			});
		}

	}

}
