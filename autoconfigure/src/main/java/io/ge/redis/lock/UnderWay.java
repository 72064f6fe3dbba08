/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * Counts what is under way, so that somebody can wait for its end: decisions while they
 * are made and carried out, and the commands that they send until the answers were dealt
 * with. A decision is counted before it looks whether the application is being closed, so
 * whoever closes it and then waits misses nothing.
 */
final class UnderWay {

	private final AtomicInteger count = new AtomicInteger();

	private volatile @Nullable CompletableFuture<Void> awaited;

	void begin() {
		this.count.incrementAndGet();
	}

	void end() {
		if (this.count.decrementAndGet() == 0) {
			CompletableFuture<Void> waiting = this.awaited;
			if (waiting != null) {
				waiting.complete(null);
			}
		}
	}

	/**
	 * Counts a stage until it is complete.
	 */
	void add(CompletionStage<?> stage) {
		begin();
		stage.whenComplete((result, failure) -> end());
	}

	/**
	 * Returns what completes as soon as nothing is under way.
	 */
	CompletableFuture<Void> over() {
		CompletableFuture<Void> over = new CompletableFuture<>();
		this.awaited = over;
		if (this.count.get() == 0) {
			over.complete(null);
		}
		return over;
	}

}
