/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.read;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.ge.redis.cache.engine.CacheFlights;
import io.ge.redis.cache.engine.CacheLookup;
import io.ge.redis.cache.write.CacheTransactions;
import io.ge.redis.cache.write.CallerScope;
import io.ge.redis.core.connection.DaemonThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Replaces values before they expire, on a few threads of its own. Whoever reads the old
 * value is not delayed: if all threads are busy, another reader gets its chance later.
 */
public final class CacheRefresher implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(CacheRefresher.class);

	private static final int IDLE_SECONDS = 30;

	private final CacheFlights flights;

	private final CacheLoads loads;

	private final CacheTransactions transactions;

	private final UnaryOperator<Runnable> context;

	private final Function<String, Duration> longest;

	private final ThreadPoolExecutor threads;

	private final int most;

	private final AtomicInteger running = new AtomicInteger();

	/**
	 * Creates a refresher.
	 * @param most how many values are loaded at a time
	 * @param context takes along what the application has bound to the calling thread
	 * @param longest how long a value of a cache may take to load
	 */
	public CacheRefresher(CacheFlights flights, CacheLoads loads, CacheTransactions transactions, int most,
			UnaryOperator<Runnable> context, Function<String, Duration> longest) {
		this.flights = flights;
		this.loads = loads;
		this.transactions = transactions;
		this.context = context;
		this.longest = longest;
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
	 * @param context the context of the subscriber, or {@code null} if there is none
	 */
	void refresh(CacheSource source, CacheLookup.Permit permit, @Nullable Object context) {
		try {
			CacheSource detached = source.detached();
			this.threads.execute(this.context.apply(() -> begin(detached, permit, context)));
		}
		catch (RuntimeException | OutOfMemoryError ex) {
			// All threads are busy, or there is no way to another one, or the system has
			// no thread to spare: no matter for a hit
			this.flights.release(permit, false);
		}
	}

	private void begin(CacheSource source, CacheLookup.Permit permit, @Nullable Object context) {
		this.running.incrementAndGet();
		boolean entered = this.transactions.beginLoad(source.key());
		try {
			CacheLoad load = this.loads.begin(source, permit, this.transactions.snapshot(), this.flights.newBudget());
			follow(source, load, context).whenComplete((value, failure) -> {
				this.running.decrementAndGet();
				end(source, load, value, failure);
			});
		}
		catch (RuntimeException ex) {
			this.running.decrementAndGet();
			logger.debug("A value of cache '" + source.key().cache() + "' could not be refreshed", ex);
		}
		finally {
			if (entered) {
				this.transactions.endLoad(source.key());
			}
		}
	}

	// What takes longer than the lease is of no use, and keeps others from their turn
	private CompletableFuture<@Nullable Object> follow(CacheSource source, CacheLoad load, @Nullable Object context) {
		CompletableFuture<@Nullable Object> followed;
		try {
			load.begin();
			Object inner = (context != null) ? CallerScope.loading(context, source.key()) : null;
			followed = source.promises().follow(source.load(), inner);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
		CompletableFuture<Void> late = new CompletableFuture<>();
		late.completeOnTimeout(null, this.longest.apply(source.key().cache()).toMillis(), TimeUnit.MILLISECONDS)
			.thenRun(() -> followed.cancel(true));
		followed.whenComplete((value, failure) -> late.complete(null));
		return followed;
	}

	private static void end(CacheSource source, CacheLoad load, @Nullable Object value, @Nullable Throwable failure) {
		try {
			if (failure == null) {
				load.loaded(source.plain(value), true);
			}
			else {
				load.failed();
			}
		}
		catch (RuntimeException ex) {
			failure = ex;
		}
		if (failure != null) {
			logger.debug("A value of cache '" + source.key().cache() + "' could not be refreshed", failure);
		}
	}

	@Override
	public void close() {
		this.threads.shutdown();
	}

}
