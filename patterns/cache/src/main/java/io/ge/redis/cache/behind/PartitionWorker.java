/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.behind;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.ge.redis.cache.behind.RedisWriteBehind.Settling;
import io.ge.redis.cache.behind.StoreWriter.Written;
import io.ge.redis.cache.behind.WaitingChange.Settled;
import io.ge.redis.cache.behind.WaitingChange.Settled.Outcome;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Writes the changes of one partition, if this instance holds it: takes some, hands them
 * to the store, and says what became of them. One after the other, so that the order of a
 * key is that of its versions.
 * <p>
 * The lease is extended while the store is at work. Nothing is handed to the store when
 * only a part of the lease is left, so it is given up rather than overrun as long as the
 * process runs at all.
 */
final class PartitionWorker {

	private static final Log logger = LogFactory.getLog(PartitionWorker.class);

	/** How many times a lease is extended within its time. */
	private static final int EXTENSIONS = 3;

	/** After how many outages in a row it is asked whether changes are to blame. */
	private static final int DOUBTFUL = 3;

	/** After how many leases a call of the store is told to be slow. */
	private static final int SLOW = 3;

	private final Partition partition;

	private final RedisWriteBehind redis;

	private final StoreWriter<?> store;

	private final WriteBehindProperties properties;

	private final Executor threads;

	private final ScheduledExecutorService timer;

	private final Consumer<WriteBehindEvent> events;

	private final ReentrantLock atWork = new ReentrantLock();

	private final AtomicBoolean again = new AtomicBoolean();

	private final AtomicBoolean waking = new AtomicBoolean();

	private final AtomicBoolean queued = new AtomicBoolean();

	private volatile long waiting;

	/** By the system's nano time; known to be held until then. */
	private volatile long heldUntil = System.nanoTime();

	/** By the system's nano time; when the next look is planned, if that is to come. */
	private long planned = System.nanoTime();

	private @Nullable ScheduledFuture<?> plan;

	/** By the system's nano time; until then the store is left alone. */
	private long restUntil = System.nanoTime();

	/** How often in a row the store was away. */
	private int outages;

	PartitionWorker(Partition partition, RedisWriteBehind redis, StoreWriter<?> store, WriteBehindProperties properties,
			Executor threads, ScheduledExecutorService timer, Consumer<WriteBehindEvent> events) {
		this.partition = partition;
		this.redis = redis;
		this.store = store;
		this.properties = properties;
		this.threads = threads;
		this.timer = timer;
		this.events = events;
	}

	/**
	 * Returns how many keys waited when this was last heard of.
	 */
	long waiting() {
		return this.waiting;
	}

	/**
	 * Looks for changes when more of them may have come together.
	 */
	void wake() {
		if (this.waking.compareAndSet(false, true)) {
			later(this.properties.linger(), () -> {
				this.waking.set(false);
				look();
			});
		}
	}

	/**
	 * Looks for changes, on a thread for that.
	 */
	void look() {
		if (!this.queued.compareAndSet(false, true)) {
			return;
		}
		try {
			this.threads.execute(this::run);
		}
		catch (RejectedExecutionException ex) {
			// shutting down, which looks by itself
		}
		catch (OutOfMemoryError ex) {
			this.queued.set(false);
			// No thread could be made. Thrown on, it would end the looking of all
			logger.warn("Changes of cache '" + this.partition.cache() + "' were not looked for: " + ex);
		}
	}

	private @Nullable ScheduledFuture<?> later(Duration delay, Runnable task) {
		try {
			return this.timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			// likewise
			return null;
		}
	}

	/**
	 * Plans a look. There is one plan at a time, the earliest, or each look that finds
	 * the partition taken would add one for ever.
	 */
	private void lookAfter(Duration delay) {
		long now = System.nanoTime();
		long at = now + delay.toNanos();
		if (this.plan != null && this.planned - now > 0) {
			if (this.planned - this.restUntil >= 0 && this.planned - at <= 0) {
				return;
			}
			this.plan.cancel(false);
		}
		this.planned = at;
		this.plan = later(delay, this::look);
	}

	private void rest() {
		this.outages++;
		Duration delay = this.properties.delay(this.outages);
		this.restUntil = System.nanoTime() + delay.toNanos();
		lookAfter(delay);
	}

	private void run() {
		this.queued.set(false);
		if (!this.atWork.tryLock()) {
			this.again.set(true);
			if (!this.atWork.isLocked() && this.again.getAndSet(false)) {
				look();
			}
			return;
		}
		try {
			if (this.restUntil - System.nanoTime() <= 0) {
				round();
			}
		}
		catch (RedisUnavailableException ex) {
			// Looked for again when Redis is back
		}
		catch (Throwable ex) {
			// Looked for again within half of a lease
			logger.warn("Changes of cache '" + this.partition.cache() + "' could not be written: " + ex);
		}
		finally {
			this.atWork.unlock();
			if (this.again.getAndSet(false)) {
				wake();
			}
		}
	}

	private void round() {
		Take take = take();
		if (take instanceof Take.Busy busy) {
			lookAfter(busy.left());
		}
		else if (take instanceof Take.Taken taken && taken.changes().isEmpty()) {
			lookWhenDue(taken.more() ? Duration.ZERO : taken.due());
		}
		else if (take instanceof Take.Taken taken) {
			Settling settling = write(taken.changes());
			if (settling == null) {
				rest();
				return;
			}
			this.outages = 0;
			if (!settling.held() || taken.more()) {
				look();
			}
			else if (settling.waiting() > 0) {
				wake();
				lookWhenDue(settling.due());
			}
		}
	}

	private void lookWhenDue(@Nullable Duration due) {
		if (due != null) {
			lookAfter(due);
		}
	}

	private Take take() {
		long asked = System.nanoTime();
		Take take = Waiting
			.await(this.redis.take(this.partition, this.properties.leaseTime(), this.properties.batchSize()));
		if (take instanceof Take.Taken taken) {
			this.heldUntil = asked + this.properties.leaseTime().toNanos();
			this.waiting = taken.waiting();
		}
		else {
			this.waiting = (take instanceof Take.Busy busy) ? busy.waiting() : 0;
		}
		return take;
	}

	/**
	 * Writes changes and settles what became of them.
	 * @return how the partition stands, or {@code null} if the store is away
	 */
	private @Nullable Settling write(List<WaitingChange> changes) {
		long period = this.properties.leaseTime().toNanos() / EXTENSIONS;
		long begun = System.nanoTime();
		AtomicBoolean told = new AtomicBoolean();
		ScheduledFuture<?> extending = this.timer.scheduleAtFixedRate(() -> {
			extend();
			warnOnce(begun, told);
		}, period, period, TimeUnit.NANOSECONDS);
		Written written;
		try {
			written = this.store.write(changes, this::holds, this.outages >= DOUBTFUL);
		}
		finally {
			extending.cancel(false);
		}
		Settling settling = written.settled().isEmpty() ? new Settling(true, changes.size(), null)
				: settle(written.settled());
		if (written.away() == null) {
			return settling;
		}
		int left = changes.size() - written.settled().size();
		if (this.outages == 0) {
			logger.warn(
					"The store of cache '" + this.partition.cache() + "' is away, its changes wait: " + written.away());
		}
		this.events.accept(new WriteBehindEvent.Retried(this.partition.cache(), left));
		return null;
	}

	private void warnOnce(long begun, AtomicBoolean told) {
		boolean slow = System.nanoTime() - begun > SLOW * this.properties.leaseTime().toNanos();
		if (slow && told.compareAndSet(false, true)) {
			logger.warn("The store of cache '" + this.partition.cache() + "' has been writing for " + SLOW
					+ " leases. Its partition waits until it returns: set timeouts for its calls");
		}
	}

	private boolean holds() {
		return this.heldUntil - System.nanoTime() > this.properties.leaseTime().toNanos() / EXTENSIONS;
	}

	private void extend() {
		long asked = System.nanoTime();
		this.redis.extend(this.partition, this.properties.leaseTime()).whenComplete((held, failure) -> {
			if (failure == null) {
				this.heldUntil = held ? asked + this.properties.leaseTime().toNanos() : asked;
			}
		});
	}

	private Settling settle(List<Settled> settled) {
		Settling settling = Waiting.await(this.redis.settle(this.partition, this.properties, settled));
		if (settling.held()) {
			this.waiting = settling.waiting();
			tell(settled);
		}
		return settling;
	}

	private void tell(List<Settled> settled) {
		for (Outcome outcome : Outcome.values()) {
			int count = (int) settled.stream().filter((each) -> each.outcome() == outcome).count();
			if (count > 0) {
				this.events.accept(switch (outcome) {
					case DONE -> new WriteBehindEvent.Written(this.partition.cache(), count);
					case RETRY -> new WriteBehindEvent.Retried(this.partition.cache(), count);
					case DEAD -> new WriteBehindEvent.Dead(this.partition.cache(), count);
				});
			}
		}
	}

	/**
	 * Writes all that this instance can write now, and gives the partition up.
	 * @param deadline by the system's nano time; nothing is begun after it
	 */
	void drain(long deadline) {
		try {
			if (!this.atWork.tryLock(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)) {
				return;
			}
			try {
				boolean more = true;
				while (more && deadline - System.nanoTime() > 0) {
					more = take() instanceof Take.Taken taken
							&& (taken.changes().isEmpty() ? taken.more() : write(taken.changes()) != null);
				}
				Waiting.await(this.redis.release(this.partition));
			}
			finally {
				this.atWork.unlock();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (RedisUnavailableException ex) {
			// The lease ends by itself, and the changes stay
		}
		catch (Throwable ex) {
			logger.warn("Changes of cache '" + this.partition.cache() + "' were not written before the end: " + ex);
		}
	}

}
