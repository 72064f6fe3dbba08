// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import io.ge.redis.core.connection.BlockingConnection;
import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.connection.PushSubscriber;
import io.ge.redis.core.connection.PushSubscription;
import io.ge.redis.core.connection.ReplicatedConnection;
import io.ge.redis.core.connection.Shard;
import org.jspecify.annotations.Nullable;

/**
 * A connection that first learns what the server answers to each script, and then answers
 * in its place, at once and on the thread of the caller. What is left of a call is our
 * own share.
 */
final class AnsweringConnection implements GuardConnection {

	private final GuardConnection server;

	private final Map<String, CompletableFuture<List<?>>> replies = new ConcurrentHashMap<>();

	private final LongAdder answered = new LongAdder();

	private volatile boolean answering;

	AnsweringConnection(GuardConnection server) {
		this.server = server;
	}

	/**
	 * From now on the last reply that each script got is the reply to every call.
	 */
	void answer() {
		this.answering = true;
	}

	/**
	 * How many scripts were answered without the server.
	 */
	long answered() {
		return this.answered.sum();
	}

	boolean isAnswering() {
		return this.answering;
	}

	@Override
	public CompletionStage<List<?>> evalSha(String sha, byte[][] keys, byte[][] arguments) {
		if (this.answering) {
			CompletableFuture<List<?>> reply = this.replies.get(sha);
			if (reply == null) {
				throw new IllegalStateException("The script " + sha + " was not called before");
			}
			this.answered.increment();
			return reply;
		}
		return this.server.evalSha(sha, keys, arguments)
			.whenComplete((reply, failure) -> remember(sha, reply, failure));
	}

	private void remember(String sha, List<?> reply, Throwable failure) {
		if (failure == null) {
			this.replies.put(sha, CompletableFuture.completedFuture(reply));
		}
	}

	@Override
	public CompletionStage<List<?>> eval(byte[] text, byte[][] keys, byte[][] arguments) {
		// Some are run once before the answering begins, and so by their text
		return this.server.eval(text, keys, arguments)
			.whenComplete((reply, failure) -> remember(sha(text), reply, failure));
	}

	private static String sha(byte[] text) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public CompletionStage<List<?>> send(String command, byte[] key, byte[][] arguments) {
		CompletableFuture<List<?>> reply = this.answering ? this.replies.get(command) : null;
		if (reply != null) {
			this.answered.increment();
			return reply;
		}
		return this.server.send(command, key, arguments)
			.whenComplete((answer, failure) -> remember(command, answer, failure));
	}

	@Override
	public CompletionStage<?> load(byte[] text) {
		return this.server.load(text);
	}

	@Override
	public CompletionStage<Integer> publish(byte[] channel, byte[] message) {
		return this.server.publish(channel, message);
	}

	@Override
	public PushSubscription subscribe(PushSubscriber subscriber, List<byte[]> channels) {
		return this.server.subscribe(subscriber, channels);
	}

	@Override
	public CompletionStage<Void> reopen(Duration timeout) {
		return this.server.reopen(timeout);
	}

	@Override
	public @Nullable Shard shardOf(byte[] key) {
		return this.server.shardOf(key);
	}

	@Override
	public CompletionStage<Void> awaken(byte[] key, Duration timeout) {
		return this.server.awaken(key, timeout);
	}

	@Override
	public String address() {
		return this.server.address();
	}

	@Override
	public boolean isClustered() {
		return this.server.isClustered();
	}

	@Override
	public int database() {
		return this.server.database();
	}

	@Override
	public void onNewPrimary(Runnable action) {
		this.server.onNewPrimary(action);
	}

	@Override
	public void restart() {
		this.server.restart();
	}

	@Override
	public CompletionStage<ReplicatedConnection> openReplicated(@Nullable String server) {
		return this.server.openReplicated(server);
	}

	@Override
	public CompletionStage<BlockingConnection> openBlocking() {
		return this.server.openBlocking();
	}

	@Override
	public GuardConnection another() {
		return this;
	}

	@Override
	public void close() {
		this.server.close();
	}

}
