/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.connection;

import java.util.ArrayList;
import java.util.List;

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
	@ValueSource(ints = { 1, FlushHandler.FIRST - 1, FlushHandler.FIRST })
	void fewLeaveInOneFlush(int commands) {
		find(commands);
		assertThat(this.network.flushed).containsExactly(commands);
	}

	@Test
	void manyLeaveInTwoFlushes() {
		find(100);
		assertThat(this.network.flushed).containsExactly(8, 92);
	}

	@Test
	void noCommandWaitsForAThousandOthers() {
		find(1000);
		assertThat(this.network.flushed).containsExactly(8, 256, 256, 256, 224);
	}

	@Test
	void whatIsFoundLaterLeavesTheSameWay() {
		find(9);
		find(9);
		assertThat(this.network.flushed).containsExactly(8, 1, 8, 1);
	}

	@Test
	void leavesBeforeTheChannelCloses() {
		this.channel.pipeline().writeAndFlush("command");
		this.channel.pipeline().close();
		assertThat(this.network.flushed).startsWith(1);
	}

	private void find(int commands) {
		for (int i = 0; i < commands; i++) {
			this.channel.pipeline().writeAndFlush("command");
		}
		this.channel.runPendingTasks();
	}

	/** Nothing goes further, since the channel would run at once what is to run later. */
	private static final class Network extends ChannelOutboundHandlerAdapter {

		private final List<Integer> flushed = new ArrayList<>();

		private int written;

		@Override
		public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
			this.written++;
			promise.setSuccess();
		}

		@Override
		public void flush(ChannelHandlerContext context) {
			this.flushed.add(this.written);
			this.written = 0;
		}

	}

}
