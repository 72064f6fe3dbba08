// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;

/**
 * A connection of Lettuce on which replicas are waited for: one flush for scripts and
 * {@code WAIT} together.
 */
final class LettuceReplicatedConnection implements ReplicatedConnection {

	private static final Pattern CONNECTED = Pattern.compile("connected_slaves:(\\d+)");

	private final StatefulRedisConnection<byte[], byte[]> connection;

	/** The driver warns of each further attempt to close. */
	private final AtomicBoolean closed = new AtomicBoolean();

	LettuceReplicatedConnection(StatefulRedisConnection<byte[], byte[]> connection) {
		this.connection = connection;
		connection.setAutoFlushCommands(false);
	}

	@Override
	public CompletionStage<Acknowledged> run(List<Call> calls, int replicas, long millis) {
		try {
			RedisAsyncCommands<byte[], byte[]> commands = this.connection.async();
			for (Call call : calls) {
				// By its text, since a repetition would have to wait for the WAIT
				commands.<List<?>>eval(call.text(), ScriptOutputType.MULTI, call.keys(), call.arguments())
					.whenComplete(call::complete);
			}
			RedisFuture<Long> acknowledged = commands.waitForReplication(replicas, millis);
			this.connection.flushCommands();
			return acknowledged.thenCompose((count) -> (count >= replicas)
					? CompletableFuture.completedFuture(new Acknowledged(count.intValue(), -1)) : explain(count));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(new NotConnectedException("The driver refused the command", ex));
		}
	}

	private CompletionStage<Acknowledged> explain(long count) {
		RedisFuture<String> info = this.connection.async().info("replication");
		this.connection.flushCommands();
		return info.handle((text, failure) -> new Acknowledged((int) count, (failure == null) ? connected(text) : -1));
	}

	private static int connected(String info) {
		Matcher matcher = CONNECTED.matcher(info);
		return matcher.find() ? Integer.parseInt(matcher.group(1)) : -1;
	}

	@Override
	public boolean isOpen() {
		return this.connection.isOpen();
	}

	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) {
			this.connection.closeAsync();
		}
	}

	void closeAndWait() {
		if (this.closed.compareAndSet(false, true)) {
			this.connection.close();
		}
	}

}
