/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.read;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import io.ge.redis.cache.engine.CacheBatch.Decided;
import io.ge.redis.cache.engine.CacheLookup;
import io.ge.redis.cache.write.CallerScope;
import io.ge.redis.core.connection.DaemonThreads;
import io.ge.redis.core.outage.Waiting;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Replaces values before they expire, on a few threads of its own. Readers of the old
 * value are not delayed: if all threads are busy, another reader gets its chance later.
 */
public final class CacheRefresher implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(CacheRefresher.class);

	private static final int IDLE_SECONDS = 30;

	private final CacheReadParts parts;

	private final UnaryOperator<Runnable> context;

	private final ThreadPoolExecutor threads;

	private final int most;

	private final AtomicInteger running = new AtomicInteger();

	/**
	 * Creates a refresher.
	 * @param most how many values are loaded at a time
	 * @param context propagates what the application has bound to the calling thread
	 */
	public CacheRefresher(CacheReadParts parts, int most, UnaryOperator<Runnable> context) {
		this.parts = parts;
		this.context = context;
		this.most = most;
		this.threads = new ThreadPoolExecutor(0, most, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(),
				DaemonThreads.named("ge-redis-refresh"));
	}

	/**
	 * Returns whether there is no thread for another value.
	 */
	boolean isBusy() {
		return this.running.get() >= this.most;
	}

	/**
	 * Replaces a value that stands, unless there is too much to do.
	 * @param subscriber the context of the subscriber, or {@code null} if there is none
	 */
	void refresh(CacheEntrySource source, CacheLookup.Permit permit, @Nullable Object subscriber) {
		try {
			CacheEntrySource detached = source.detached();
			this.threads.execute(this.context.apply(() -> begin(detached, permit, subscriber)));
		}
		catch (RuntimeException | OutOfMemoryError ex) {
			// All threads are busy, or there is no way to another one, or the system has
			// no thread to spare: no matter for a hit
			this.parts.flights().release(permit, false);
		}
	}

	private void begin(CacheEntrySource source, CacheLookup.Permit permit, @Nullable Object subscriber) {
		this.running.incrementAndGet();
		boolean entered = this.parts.transactions().beginLoad(source.key());
		try {
			CacheRead read = new CacheRead(source, this.parts.scope(null), this.parts, this);
			List<Decided> granted = List
				.of(new Decided(source.key(), new CacheLookup.Load(permit, false, false, null)));
			CacheLoad load = Objects.requireNonNull(read.take(Waiting.await(read.pendingFirst(granted))));
			follow(source, load, subscriber).whenComplete((value, failure) -> {
				this.running.decrementAndGet();
				end(source, load, value, failure);
			});
		}
		catch (RuntimeException ex) {
			this.running.decrementAndGet();
			notRefreshed(source, ex);
		}
		finally {
			if (entered) {
				this.parts.transactions().endLoad(source.key());
			}
		}
	}

	// What takes longer than the lease is of no use, and keeps others from their turn
	private CompletableFuture<@Nullable Object> follow(CacheEntrySource source, CacheLoad load,
			@Nullable Object subscriber) {
		CompletableFuture<@Nullable Object> followed;
		try {
			if (load.begin().isEmpty()) {
				return CompletableFuture.completedFuture(null);
			}
			Object inner = (subscriber != null) ? CallerScope.loading(subscriber, source.key()) : null;
			followed = source.promises().follow(source.load(), inner);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
		long longest = this.parts.definitions().settings(source.cache()).leaseTime().toMillis();
		CompletableFuture<Void> late = new CompletableFuture<>();
		late.completeOnTimeout(null, longest, TimeUnit.MILLISECONDS).thenRun(() -> followed.cancel(true));
		followed.whenComplete((value, failure) -> late.complete(null));
		return followed;
	}

	private static void end(CacheEntrySource source, CacheLoad load, @Nullable Object value,
			@Nullable Throwable failure) {
		try {
			if (failure == null) {
				load.loaded(value);
				return;
			}
			load.failed();
			notRefreshed(source, failure);
		}
		catch (RuntimeException ex) {
			notRefreshed(source, ex);
		}
	}

	private static void notRefreshed(CacheEntrySource source, Throwable failure) {
		logger.debug("A value of cache '" + source.cache() + "' could not be refreshed", failure);
	}

	@Override
	public void close() {
		this.threads.shutdown();
	}

}
