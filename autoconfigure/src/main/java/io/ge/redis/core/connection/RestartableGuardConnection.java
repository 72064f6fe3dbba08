/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.connection;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A connection that is made anew when an application that was stopped, such as a paused
 * context of a test, starts again.
 */
public final class RestartableGuardConnection implements GuardConnection {

	private final Supplier<GuardConnection> maker;

	private final AtomicReference<@Nullable GuardConnection> current;

	private volatile GuardConnection last;

	RestartableGuardConnection(Supplier<GuardConnection> maker) {
		this.maker = maker;
		this.last = maker.get();
		this.current = new AtomicReference<>(this.last);
	}

	/**
	 * Makes the connection usable again after it was closed; without effect while it is
	 * not. Connects with the next {@link #reopen}.
	 */
	public void restart() {
		if (this.current.get() == null) {
			GuardConnection made = this.maker.get();
			if (this.current.compareAndSet(null, made)) {
				this.last = made;
			}
			else {
				made.close();
			}
		}
	}

	@Override
	public CompletionStage<List<?>> evalSha(String sha, byte[][] keys, byte[][] arguments) {
		return on((connection) -> connection.evalSha(sha, keys, arguments));
	}

	@Override
	public CompletionStage<List<?>> eval(byte[] text, byte[][] keys, byte[][] arguments) {
		return on((connection) -> connection.eval(text, keys, arguments));
	}

	@Override
	public CompletionStage<?> load(byte[] text) {
		return on((connection) -> connection.load(text).thenApply((sha) -> sha));
	}

	@Override
	public CompletionStage<Integer> publish(byte[] channel, byte[] message) {
		return on((connection) -> connection.publish(channel, message));
	}

	@Override
	public CompletionStage<Void> reopen(Duration timeout) {
		return on((connection) -> connection.reopen(timeout));
	}

	@Override
	public @Nullable Shard shardOf(byte[] key) {
		return this.last.shardOf(key);
	}

	@Override
	public CompletionStage<Void> awaken(byte[] key, Duration timeout) {
		return on((connection) -> connection.awaken(key, timeout));
	}

	private <T> CompletionStage<T> on(Function<GuardConnection, CompletionStage<T>> action) {
		GuardConnection connection = this.current.get();
		return (connection != null) ? action.apply(connection)
				: CompletableFuture.failedFuture(new NotConnectedException("Closed", null));
	}

	@Override
	public PushSubscription subscribe(PushSubscriber subscriber, List<byte[]> channels) {
		return this.last.subscribe(subscriber, channels);
	}

	@Override
	public int database() {
		return this.last.database();
	}

	@Override
	public boolean canAwaitReplicas() {
		return this.last.canAwaitReplicas();
	}

	@Override
	public CompletionStage<ReplicatedConnection> openReplicated(@Nullable String server) {
		return on((connection) -> connection.openReplicated(server));
	}

	@Override
	public String address() {
		return this.last.address();
	}

	@Override
	public boolean isAsynchronous() {
		return this.last.isAsynchronous();
	}

	@Override
	public boolean isClustered() {
		return this.last.isClustered();
	}

	@Override
	public void close() {
		GuardConnection closed = this.current.getAndSet(null);
		if (closed != null) {
			closed.close();
		}
	}

}
