// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.bus;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.ge.redis.core.outage.Waiting;

/**
 * Reads what all instances share: at once on request, as when a message hints at a
 * change, and whenever a periodic action asks. Readings follow one another. A caller gets
 * a reading that began after its call. Callers during a reading share the next one.
 */
public final class Poll {

	private final Supplier<? extends CompletionStage<?>> reading;

	private final Duration period;

	private final Runnable periodic;

	/** Requests that are not answered yet. */
	private final AtomicInteger wanted = new AtomicInteger();

	private final Queue<CompletableFuture<Void>> waiting = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean started = new AtomicBoolean();

	private volatile CompletableFuture<Void> rest = new CompletableFuture<>();

	/**
	 * Creates a poll that is not yet started.
	 * @param periodic asks for a reading if it is time; must not block
	 */
	public Poll(Supplier<? extends CompletionStage<?>> reading, Duration period, Runnable periodic) {
		this.reading = reading;
		this.period = period;
		this.periodic = periodic;
	}

	/**
	 * Reads now, or once more when the reading that is in progress has ended, whether
	 * started or not.
	 */
	public CompletableFuture<Void> read() {
		CompletableFuture<Void> asked = new CompletableFuture<>();
		this.waiting.add(asked);
		if (this.wanted.getAndIncrement() == 0) {
			readNow();
		}
		return asked;
	}

	private void readNow() {
		int answered = this.wanted.get();
		List<CompletableFuture<Void>> answers = new ArrayList<>(answered);
		while (answers.size() < answered) {
			answers.add(Objects.requireNonNull(this.waiting.poll()));
		}
		readOnce().whenComplete((result, failure) -> {
			for (CompletableFuture<Void> answer : answers) {
				if (failure != null) {
					answer.completeExceptionally(Waiting.cause(failure));
				}
				else {
					answer.complete(null);
				}
			}
			if (this.wanted.addAndGet(-answered) > 0) {
				readNow();
			}
		});
	}

	private CompletionStage<?> readOnce() {
		try {
			return this.reading.get();
		}
		catch (RuntimeException | Error ex) {
			// An error too, or no reading would follow
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Begins with the periodic action, unless it has begun.
	 * @return whether this call has started it
	 */
	public boolean start() {
		boolean first = this.started.compareAndSet(false, true);
		if (first) {
			sleep();
		}
		return first;
	}

	/**
	 * Ends the periodic action, until it is started again.
	 */
	public void stop() {
		this.started.set(false);
		this.rest.cancel(false);
	}

	public boolean isStarted() {
		return this.started.get();
	}

	private void sleep() {
		CompletableFuture<Void> next = new CompletableFuture<>();
		this.rest = next;
		next.thenRun(() -> wake(next));
		next.completeOnTimeout(null, this.period.toNanos(), TimeUnit.NANOSECONDS);
		if (!this.started.get()) {
			next.cancel(false);
		}
	}

	private void wake(CompletableFuture<Void> rested) {
		// Unless it was started again meanwhile, with a period of its own
		if (this.rest == rested) {
			try {
				this.periodic.run();
			}
			finally {
				sleep();
			}
		}
	}

}
