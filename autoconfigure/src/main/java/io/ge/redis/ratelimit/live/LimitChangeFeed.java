/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.live;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Keeps this instance up to date with the changes that all instances share.
 * <p>
 * They are read when a message says so, whenever the subscription stands anew, since
 * messages may have been lost until then, and every {@value #LOOK_MILLIS} milliseconds
 * while it does not stand, nothing is heard over it, or the last reading failed. So a
 * change is in effect everywhere within a second wherever Redis can be reached at all, or
 * within about three if a subscription hangs without being closed, and no decision pays
 * for it. Read now and then in any case, which also keeps them alive in Redis.
 */
public final class LimitChangeFeed {

	private static final Log logger = LogFactory.getLog(LimitChangeFeed.class);

	static final String CHANGED = "ratelimit.changed";

	static final long LOOK_MILLIS = 500;

	private static final long ROUTINE_LOOKS = TimeUnit.MINUTES.toMillis(20) / LOOK_MILLIS;

	private final RedisLimitChanges changes;

	private final InstanceBus bus;

	private final long silenceNanos;

	private final Consumer<List<StoredChange>> sink;

	private final Runnable routine;

	/** Requests to read that are not answered yet. */
	private final AtomicInteger wanted = new AtomicInteger();

	private final Queue<CompletableFuture<Void>> waiting = new ConcurrentLinkedQueue<>();

	private volatile boolean deaf = true;

	private volatile boolean failed;

	private volatile boolean paused;

	private volatile CompletableFuture<Void> rest = new CompletableFuture<>();

	/** Only touched by one look after the other. */
	private long looks;

	/**
	 * Creates a feed that is not yet started.
	 * @param changes where the changes are
	 * @param bus tells of them
	 * @param silenceNanos when the bus is not to be relied upon
	 * @param sink takes all changes, each time they were read
	 * @param routine something else to do every 20 minutes
	 */
	public LimitChangeFeed(RedisLimitChanges changes, InstanceBus bus, long silenceNanos,
			Consumer<List<StoredChange>> sink, Runnable routine) {
		this.changes = changes;
		this.bus = bus;
		this.silenceNanos = silenceNanos;
		this.sink = sink;
		this.routine = routine;
	}

	/**
	 * Reads for the first time, within the budget of one call, so that not even the first
	 * decision goes by what was changed long ago.
	 */
	public void start() {
		this.deaf = !this.bus.isSubscribed();
		this.bus.handle(CHANGED, (payload) -> read());
		this.bus.onLost(() -> this.deaf = true);
		this.bus.onSubscribed(() -> {
			this.deaf = false;
			read();
		});
		try {
			this.failed = !take(Waiting.await(this.changes.load()));
		}
		catch (RedisUnavailableException ex) {
			this.failed = true;
		}
		sleep();
	}

	/**
	 * Reads the changes: now, or once the reading that is under way has ended.
	 * @return completes when they are in effect on this instance
	 */
	public CompletionStage<Void> read() {
		CompletableFuture<Void> done = new CompletableFuture<>();
		this.waiting.add(done);
		if (this.wanted.getAndIncrement() == 0) {
			readNow();
		}
		return done;
	}

	private void readNow() {
		int answered = this.wanted.get();
		List<CompletableFuture<Void>> answers = new ArrayList<>(answered);
		while (answers.size() < answered) {
			answers.add(Objects.requireNonNull(this.waiting.poll()));
		}
		this.changes.load().whenComplete((stored, failure) -> {
			this.failed = failure != null || !take(stored);
			answers.forEach((answer) -> answer(answer, failure));
			if (this.wanted.addAndGet(-answered) > 0) {
				readNow();
			}
		});
	}

	private void answer(CompletableFuture<Void> answer, @Nullable Throwable failure) {
		if (failure != null) {
			answer.completeExceptionally(Waiting.cause(failure));
		}
		else if (this.failed) {
			answer.completeExceptionally(
					new IllegalStateException("Live changes of rate limits could not be applied on this instance"));
		}
		else {
			answer.complete(null);
		}
	}

	private boolean take(List<StoredChange> stored) {
		try {
			this.sink.accept(stored);
			return true;
		}
		catch (RuntimeException ex) {
			logger.warn("Live changes of rate limits could not be applied", ex);
			return false;
		}
	}

	private void sleep() {
		CompletableFuture<Void> next = new CompletableFuture<>();
		this.rest = next;
		next.thenRun(this::look);
		next.completeOnTimeout(null, LOOK_MILLIS, TimeUnit.MILLISECONDS);
		if (this.paused) {
			next.cancel(false);
		}
	}

	private void look() {
		try {
			boolean due = ++this.looks % ROUTINE_LOOKS == 0;
			if (due) {
				this.routine.run();
			}
			if (due || this.failed || isDeaf()) {
				read();
			}
		}
		finally {
			sleep();
		}
	}

	private boolean isDeaf() {
		return this.deaf || System.nanoTime() - this.bus.heardAt() > this.silenceNanos;
	}

	/**
	 * Ends the looks, while the connection is closed.
	 */
	public void pause() {
		this.paused = true;
		this.rest.cancel(false);
	}

	/**
	 * Begins to look again.
	 */
	public void resume() {
		if (this.paused) {
			this.paused = false;
			sleep();
		}
	}

}
