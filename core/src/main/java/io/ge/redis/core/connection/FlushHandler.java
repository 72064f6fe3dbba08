/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;

/**
 * Sends commands together that the driver's thread finds together, although the driver
 * flushes each one: the first few, then the rest. So the server has work while the rest
 * is written. In one flush, many callers and the server would wait for each other.
 */
final class FlushHandler extends ChannelOutboundHandlerAdapter {

	static final int FIRST = 8;

	static final int NEXT = 256;

	/** Since the last flush of a rest. */
	private int commands;

	@Override
	public void flush(ChannelHandlerContext context) {
		this.commands++;
		if (this.commands == 1) {
			// Runs behind what waits for this thread
			context.executor().execute(() -> flushRest(context));
		}
		else if (isFull()) {
			context.flush();
		}
	}

	private void flushRest(ChannelHandlerContext context) {
		if (!isFull()) {
			context.flush();
		}
		this.commands = 0;
	}

	private boolean isFull() {
		return this.commands % NEXT == FIRST;
	}

	@Override
	public void close(ChannelHandlerContext context, ChannelPromise promise) {
		context.flush();
		context.close(promise);
	}

}
