/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * What one call changes whose end comes later: what of it is announced stays so, by
 * renewal, for as long as the work goes on.
 */
final class LaterWrites {

	private final List<Open> all = new ArrayList<>(1);

	private final LaterScope scope;

	private volatile @Nullable CompletableFuture<Boolean> pause;

	private volatile boolean ended;

	LaterWrites(LaterScope scope) {
		this.scope = scope;
	}

	LaterScope scope() {
		return this.scope;
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
	 * Does something again and again until all is over.
	 */
	void every(Duration time, Runnable action) {
		CompletableFuture<Boolean> next = new CompletableFuture<>();
		this.pause = next;
		if (this.ended) {
			return;
		}
		next.completeOnTimeout(true, time.toMillis(), TimeUnit.MILLISECONDS).thenAcceptAsync((due) -> {
			if (due && !this.ended) {
				action.run();
				every(time, action);
			}
		});
	}

	void end() {
		this.ended = true;
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
	 * @param removal what the transaction of the calling thread removes, whose end
	 * nothing ties to that of the work, or {@code null}
	 * @param stamp what the value is stamped with
	 */
	record Open(WritePart part, CacheWrite write, @Nullable ReactiveChanges changes, @Nullable CacheWrite removal,
			CompletableFuture<Long> stamp) {
	}

}
