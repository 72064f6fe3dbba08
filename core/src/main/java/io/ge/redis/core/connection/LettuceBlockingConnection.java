// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

import io.lettuce.core.StreamMessage;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.api.StatefulRedisConnection;

/**
 * A connection of Lettuce on which {@code XREAD BLOCK} waits.
 */
final class LettuceBlockingConnection implements BlockingConnection {

	/** The time after which a server counts as hanging. */
	private static final Duration GRACE = Duration.ofSeconds(2);

	private final StatefulRedisConnection<byte[], byte[]> connection;

	private final long clientId;

	private final LongFunction<CompletionStage<Boolean>> unblock;

	/**
	 * Uses an exclusive connection.
	 * @param clientId the id of its client on the server
	 * @param unblock ends a wait of a client by its id, on another connection
	 */
	LettuceBlockingConnection(StatefulRedisConnection<byte[], byte[]> connection, long clientId,
			LongFunction<CompletionStage<Boolean>> unblock) {
		this.connection = connection;
		this.clientId = clientId;
		this.unblock = unblock;
	}

	@Override
	@SuppressWarnings({ "unchecked", "rawtypes" })
	public CompletionStage<List<byte[]>> awaitEntries(List<byte[]> streams, List<String> positions, Duration timeout) {
		XReadArgs.StreamOffset[] offsets = new XReadArgs.StreamOffset[streams.size()];
		for (int i = 0; i < offsets.length; i++) {
			offsets[i] = XReadArgs.StreamOffset.from(streams.get(i), positions.get(i));
		}
		CompletableFuture<List<StreamMessage<byte[], byte[]>>> waiting;
		try {
			// One is enough to know that there is something
			waiting = this.connection.async()
				.xread(new XReadArgs().count(1).block(timeout), (XReadArgs.StreamOffset<byte[]>[]) offsets)
				.toCompletableFuture();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(new NotConnectedException("The driver refused the command", ex));
		}
		return waiting.orTimeout(timeout.plus(GRACE).toMillis(), TimeUnit.MILLISECONDS)
			.thenApply(LettuceBlockingConnection::streams);
	}

	private static List<byte[]> streams(List<StreamMessage<byte[], byte[]>> found) {
		Set<ByteBuffer> streams = new LinkedHashSet<>();
		for (StreamMessage<byte[], byte[]> entry : found) {
			streams.add(ByteBuffer.wrap(entry.getStream()));
		}
		return streams.stream().map(ByteBuffer::array).toList();
	}

	@Override
	public CompletionStage<Boolean> wake() {
		return this.unblock.apply(this.clientId);
	}

	@Override
	public boolean isOpen() {
		return this.connection.isOpen();
	}

	@Override
	public void close() {
		this.connection.closeAsync();
	}

	/**
	 * Closes the connection and waits until it is closed.
	 */
	void closeAndWait() {
		this.connection.close();
	}

}
