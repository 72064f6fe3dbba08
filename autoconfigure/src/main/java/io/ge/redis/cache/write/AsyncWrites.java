/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.write;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * The changes of one call with an asynchronous end. Their announcements are renewed for
 * as long as the work goes on.
 */
final class AsyncWrites {

	private final List<Open> all = new ArrayList<>(1);

	private final CallerScope scope;

	private final long since = System.nanoTime();

	private volatile @Nullable CompletableFuture<Boolean> pause;

	private final Lock lock = new ReentrantLock();

	private volatile boolean ended;

	AsyncWrites(CallerScope scope) {
		this.scope = scope;
	}

	CallerScope scope() {
		return this.scope;
	}

	/**
	 * Returns when all began, as of the system's nano time.
	 */
	long since() {
		return this.since;
	}

	List<Open> all() {
		return this.all;
	}

	List<CacheWrite> writes() {
		return this.all.stream().map(Open::write).toList();
	}

	/**
	 * Returns those that are not part of a transaction of the subscriber.
	 */
	List<CacheWrite> bare() {
		return this.all.stream().filter((open) -> open.changes() == null).map(Open::write).toList();
	}

	/**
	 * Does something again and again until all is over. It does not begin after the end.
	 */
	void every(Duration time, Runnable action) {
		CompletableFuture<Boolean> next = new CompletableFuture<>();
		this.pause = next;
		if (this.ended) {
			return;
		}
		next.completeOnTimeout(true, time.toMillis(), TimeUnit.MILLISECONDS).thenAcceptAsync((due) -> {
			if (due && unlessEnded(action)) {
				every(time, action);
			}
		});
	}

	private boolean unlessEnded(Runnable action) {
		this.lock.lock();
		try {
			if (!this.ended) {
				action.run();
			}
			return !this.ended;
		}
		finally {
			this.lock.unlock();
		}
	}

	void end() {
		this.lock.lock();
		try {
			this.ended = true;
		}
		finally {
			this.lock.unlock();
		}
		CompletableFuture<Boolean> waiting = this.pause;
		if (waiting != null) {
			waiting.complete(false);
		}
	}

	/**
	 * One change.
	 *
	 * @param part what it is
	 * @param write the write
	 * @param changes the transaction of the subscriber to which it belongs, or
	 * {@code null}
	 * @param removal what the transaction of the calling thread removes, or one of the
	 * subscriber that commits already, since nothing ties its end to that of the work;
	 * {@code null} if there is none
	 * @param stamp what the value is stamped with
	 */
	record Open(WritePart part, CacheWrite write, @Nullable ReactiveChanges changes, @Nullable CacheWrite removal,
			CompletableFuture<Long> stamp) {
	}

}
