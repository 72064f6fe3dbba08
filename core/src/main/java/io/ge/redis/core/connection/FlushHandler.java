// SPDX-License-Identifier: Apache-2.0

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

	/** The commands after which the first flush happens. */
	private static final int FIRST = 8;

	/** So many others wait at most. */
	private static final int NEXT = 256;

	/** Commands since the rest was last flushed. */
	private int found;

	/** Whether there are commands that have not been flushed. */
	private boolean waiting;

	@Override
	public void flush(ChannelHandlerContext context) {
		this.waiting = true;
		this.found++;
		if (this.found == 1) {
			// Runs behind what waits for this thread
			context.executor().execute(() -> flushRest(context));
		}
		// Large commands do not wait for others
		if (this.found % NEXT == FIRST || !context.channel().isWritable()) {
			flushWaiting(context);
		}
	}

	private void flushRest(ChannelHandlerContext context) {
		this.found = 0;
		flushWaiting(context);
	}

	private void flushWaiting(ChannelHandlerContext context) {
		if (this.waiting) {
			this.waiting = false;
			context.flush();
		}
	}

	@Override
	public void close(ChannelHandlerContext context, ChannelPromise promise) {
		flushWaiting(context);
		context.close(promise);
	}

}
