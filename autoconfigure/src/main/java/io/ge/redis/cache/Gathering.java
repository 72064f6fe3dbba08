/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Lets questions that come together go together, where answering several at once costs
 * less than answering each.
 * <p>
 * The first {@value #MOST_UNDER_WAY} go as they come, so that nobody waits for others
 * unless there are many. Who comes meanwhile goes with all that wait when one of these is
 * answered, or when as many wait as may go together. Nobody waits while answers take so
 * long that waiting for another one would be felt, which is where little is gained.
 *
 * @param <T> the type of the questions
 */
final class Gathering<T> {

	static final int MOST_UNDER_WAY = 2;

	/** Bounds how long one call keeps the server from others. */
	static final int MOST_TOGETHER = 32;

	/** Answers that take longer are not waited for. */
	static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private final Function<List<T>, CompletableFuture<?>> send;

	private final LongSupplier nanoTime;

	private final Queue<T> waiting = new ConcurrentLinkedQueue<>();

	/** Never less than there are. */
	private final AtomicInteger number = new AtomicInteger();

	private final AtomicInteger underWay = new AtomicInteger();

	private volatile boolean slow;

	private volatile long lastBegan;

	/**
	 * Creates a gathering.
	 * @param send sends questions in the order in which they came; never fails by itself,
	 * and what it returns completes when they are answered or have failed
	 * @param nanoTime the time
	 */
	Gathering(Function<List<T>, CompletableFuture<?>> send, LongSupplier nanoTime) {
		this.send = send;
		this.nanoTime = nanoTime;
	}

	/**
	 * Sends a question, now or with others a little later.
	 */
	void enter(T question) {
		if (this.waiting.isEmpty() && begin()) {
			send(List.of(question));
		}
		else {
			this.number.incrementAndGet();
			this.waiting.add(question);
		}
		// Those under way may have been answered in the meantime
		sendWaiting();
	}

	private void sendWaiting() {
		while (!this.waiting.isEmpty() && begin()) {
			List<T> together = take();
			if (together.isEmpty()) {
				// Another has taken them, and who came since may have found no place
				this.underWay.decrementAndGet();
			}
			else {
				send(together);
			}
		}
	}

	private List<T> take() {
		List<T> together = new ArrayList<>();
		T next = this.waiting.poll();
		while (next != null) {
			this.number.decrementAndGet();
			together.add(next);
			next = (together.size() < MOST_TOGETHER) ? this.waiting.poll() : null;
		}
		return together;
	}

	private boolean begin() {
		long now = this.nanoTime.getAsLong();
		int present;
		do {
			present = this.underWay.get();
			if (present >= MOST_UNDER_WAY && isWorthWaiting(now)) {
				return false;
			}
		}
		while (!this.underWay.compareAndSet(present, present + 1));
		this.lastBegan = now;
		return true;
	}

	private boolean isWorthWaiting(long now) {
		return !this.slow && this.number.get() < MOST_TOGETHER && now - this.lastBegan <= LONG_NANOS;
	}

	private void send(List<T> together) {
		long sentAt = this.nanoTime.getAsLong();
		CompletableFuture<?> answered = this.send.apply(together);
		// Else each would be answered within the one before, where all fail at once
		boolean atOnce = answered.isDone();
		answered.whenComplete((answer, failure) -> {
			this.slow = failure != null || this.nanoTime.getAsLong() - sentAt > LONG_NANOS;
			this.underWay.decrementAndGet();
			if (!atOnce) {
				sendWaiting();
			}
		});
	}

}
