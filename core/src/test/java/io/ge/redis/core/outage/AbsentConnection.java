// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.core.connection.BlockingConnection;
import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.connection.PushSubscriber;
import io.ge.redis.core.connection.PushSubscription;
import io.ge.redis.core.connection.ReplicatedConnection;
import io.ge.redis.core.connection.Shard;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of unknown servers, which answer only when told to.
 */
public final class AbsentConnection implements GuardConnection {

	/** The first keys of the scripts. */
	public final ConcurrentLinkedQueue<String> scripts = new ConcurrentLinkedQueue<>();

	/** The threads that sent them. */
	public final Set<Thread> senders = ConcurrentHashMap.newKeySet();

	/** Whether somebody answers. */
	public volatile boolean answers;

	/** Whether scripts are known by their SHA. */
	public volatile boolean knowsScripts = true;

	/** The server of all keys, if the driver reports servers. */
	public volatile @Nullable Shard shard;

	/** The reason for which calls fail. */
	public volatile Exception failure = new IOException("away");

	/** Whether calls are answered later, if at all. */
	public volatile boolean hangs;

	/** Those calls. */
	public final List<CompletableFuture<List<?>>> late = new CopyOnWriteArrayList<>();

	/** How many calls named a script that was not known. */
	public final AtomicInteger refused = new AtomicInteger();

	@Override
	public CompletionStage<List<?>> evalSha(String sha, byte[][] keys, byte[][] arguments) {
		if (this.answers && !this.knowsScripts) {
			this.refused.incrementAndGet();
			return CompletableFuture.failedFuture(new IOException("NOSCRIPT No matching script"));
		}
		return run(keys);
	}

	private CompletionStage<List<?>> run(byte[][] keys) {
		if (this.hangs) {
			CompletableFuture<List<?>> late = new CompletableFuture<>();
			this.late.add(late);
			return late;
		}
		if (!this.answers) {
			return CompletableFuture.failedFuture(this.failure);
		}
		this.senders.add(Thread.currentThread());
		this.scripts.add(new String(keys[0]));
		return CompletableFuture.completedFuture(List.of(1L));
	}

	@Override
	public CompletionStage<List<?>> eval(byte[] text, byte[][] keys, byte[][] arguments) {
		return run(keys);
	}

	@Override
	public CompletionStage<List<?>> send(String command, byte[] key, byte[][] arguments) {
		return run(new byte[][] { key });
	}

	@Override
	public CompletionStage<?> load(byte[] text) {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletionStage<Integer> publish(byte[] channel, byte[] message) {
		throw new UnsupportedOperationException();
	}

	@Override
	public PushSubscription subscribe(PushSubscriber subscriber, List<byte[]> channels) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletionStage<Void> reopen(Duration timeout) {
		return this.answers ? CompletableFuture.completedFuture(null)
				: CompletableFuture.failedFuture(new IOException("away"));
	}

	@Override
	public @Nullable Shard shardOf(byte[] key) {
		return this.shard;
	}

	@Override
	public CompletionStage<Void> awaken(byte[] key, Duration timeout) {
		return reopen(timeout);
	}

	@Override
	public String address() {
		return "nowhere:1";
	}

	@Override
	public boolean isClustered() {
		return true;
	}

	@Override
	public int database() {
		return 0;
	}

	@Override
	public void onNewPrimary(Runnable action) {
		// There is one server
	}

	@Override
	public void restart() {
		// Never stopped
	}

	@Override
	public CompletionStage<ReplicatedConnection> openReplicated(@Nullable String server) {
		return CompletableFuture.failedFuture(new IOException("unavailable"));
	}

	@Override
	public CompletionStage<BlockingConnection> openBlocking() {
		throw new UnsupportedOperationException();
	}

	@Override
	public GuardConnection another() {
		return this;
	}

	@Override
	public void close() {
		// Nothing is open
	}

}
