// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Commands that are found together leave together: the first few, then the rest.
 */
class FlushHandlerTests {

	private final Network network = new Network();

	private final EmbeddedChannel channel = new EmbeddedChannel(this.network, new FlushHandler());

	@ParameterizedTest
	@ValueSource(ints = { 1, 7, 8 })
	void fewLeaveInOneFlush(int commands) {
		find(commands);
		assertThat(this.network.log).containsExactly(String.valueOf(commands));
	}

	@Test
	void manyLeaveInTwoFlushes() {
		find(100);
		assertThat(this.network.log).containsExactly("8", "92");
	}

	@Test
	void noCommandWaitsForAThousandOthers() {
		find(1000);
		find(264);
		assertThat(this.network.log).containsExactly("8", "256", "256", "256", "224", "8", "256");
	}

	@Test
	void whatIsFoundLaterLeavesTheSameWay() {
		find(9);
		find(9);
		assertThat(this.network.log).containsExactly("8", "1", "8", "1");
	}

	@Test
	void muchDoesNotWait() {
		Objects.requireNonNull(this.channel.unsafe().outboundBuffer()).setUserDefinedWritability(1, false);
		find(3);
		assertThat(this.network.log).containsExactly("1", "1", "1");
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 8 })
	void whatIsWrittenDuringAFlushLeavesToo(int commands) {
		this.network.whileFlushing = () -> this.channel.pipeline().writeAndFlush("command");
		find(commands);
		assertThat(this.network.log).containsExactly(String.valueOf(commands), "1");
	}

	@Test
	void leavesBeforeTheChannelCloses() {
		this.channel.pipeline().writeAndFlush("command");
		this.channel.pipeline().close();
		this.channel.runPendingTasks();
		assertThat(this.network.log).containsExactly("1", "closed");
	}

	private void find(int commands) {
		for (int i = 0; i < commands; i++) {
			this.channel.pipeline().writeAndFlush("command");
		}
		this.channel.runPendingTasks();
	}

	/** Nothing goes further, since the channel would run at once what is to run later. */
	private static final class Network extends ChannelOutboundHandlerAdapter {

		private final List<String> log = new ArrayList<>();

		private int written;

		private Runnable whileFlushing = () -> {
		};

		@Override
		public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
			this.written++;
			promise.setSuccess();
		}

		@Override
		public void flush(ChannelHandlerContext context) {
			this.log.add(String.valueOf(this.written));
			this.written = 0;
			Runnable action = this.whileFlushing;
			this.whileFlushing = () -> {
			};
			action.run();
		}

		@Override
		public void close(ChannelHandlerContext context, ChannelPromise promise) {
			this.log.add("closed");
			promise.setSuccess();
		}

	}

}
