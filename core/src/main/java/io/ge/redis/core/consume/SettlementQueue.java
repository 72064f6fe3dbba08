/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.consume;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sends settlements together: when there are {@value #MOST}, or when the first of them
 * has waited for the linger. One call is under way at a time. After an outage the same
 * settlements are sent again, which their scripts allow. Of those nothing is told as
 * lost, since the first call may have settled it.
 *
 * @param <T> the messages
 */
final class SettlementQueue<T> {

	static final int MOST = 256;

	private static final long RETRY_MILLIS = 100;

	private static final long LONGEST_RETRY_MILLIS = 1000;

	private static final int MOST_DOUBLINGS = 10;

	private static final Log logger = LogFactory.getLog(SettlementQueue.class);

	private final WorkSource<T> source;

	private final Duration linger;

	private final ScheduledExecutorService scheduler;

	private final BiConsumer<List<Settlement<T>>, Collection<Delivery<T>>> settled;

	private final Queue<Settlement<T>> waiting = new ConcurrentLinkedQueue<>();

	private final AtomicInteger size = new AtomicInteger();

	private final AtomicBoolean sending = new AtomicBoolean();

	private volatile int failures;

	/**
	 * Creates a queue.
	 * @param settled gets each batch that Redis has answered, and those of it that were
	 * lost
	 */
	SettlementQueue(WorkSource<T> source, Duration linger, ScheduledExecutorService scheduler,
			BiConsumer<List<Settlement<T>>, Collection<Delivery<T>>> settled) {
		this.source = source;
		this.linger = linger;
		this.scheduler = scheduler;
		this.settled = settled;
	}

	void add(Settlement<T> settlement) {
		this.waiting.add(settlement);
		int waiting = this.size.incrementAndGet();
		if (waiting >= MOST || this.linger.isZero()) {
			flush();
		}
		else if (waiting == 1) {
			later(this.linger.toNanos(), this::flush);
		}
	}

	/**
	 * Sends what is there without waiting for more.
	 */
	void flush() {
		if (this.sending.compareAndSet(false, true)) {
			send();
		}
	}

	private void send() {
		List<Settlement<T>> batch = new ArrayList<>();
		Settlement<T> next = this.waiting.poll();
		while (next != null) {
			batch.add(next);
			next = (batch.size() < MOST) ? this.waiting.poll() : null;
		}
		if (!batch.isEmpty()) {
			send(batch, false);
			return;
		}
		this.sending.set(false);
		if (!this.waiting.isEmpty()) {
			flush();
		}
	}

	private void send(List<Settlement<T>> batch, boolean repeated) {
		CompletableFuture<Collection<Delivery<T>>> sent;
		try {
			sent = this.source.settle(batch).toCompletableFuture();
		}
		catch (Throwable ex) {
			sent = CompletableFuture.failedFuture(ex);
		}
		sent.whenComplete((@Nullable Collection<Delivery<T>> lost, @Nullable Throwable failure) -> {
			if (failure != null || lost == null) {
				int times = this.failures++;
				if (times == 0) {
					logger.warn("Settles no messages of '" + this.source.name() + "' until Redis takes it: " + failure);
				}
				long pause = Math.min(LONGEST_RETRY_MILLIS, RETRY_MILLIS << Math.min(times, MOST_DOUBLINGS));
				later(TimeUnit.MILLISECONDS.toNanos(pause), () -> send(batch, true));
				return;
			}
			this.failures = 0;
			this.size.addAndGet(-batch.size());
			// What is gone at a repetition was settled by the first attempt
			try {
				this.settled.accept(batch, repeated ? List.of() : lost);
			}
			catch (Throwable ex) {
				// Thrown on, nothing would be sent any more
				logger.warn("Outcomes of messages of '" + this.source.name() + "' could not be published", ex);
			}
			this.sending.set(false);
			// Counted only now: who came before has found a call under way
			int left = this.size.get();
			if (left >= MOST || this.linger.isZero() && left > 0) {
				flush();
			}
			else if (left > 0) {
				later(this.linger.toNanos(), this::flush);
			}
		});
	}

	private void later(long nanos, Runnable action) {
		try {
			this.scheduler.schedule(action, nanos, TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			// The application ends, and what was not settled is delivered again
		}
	}

}
