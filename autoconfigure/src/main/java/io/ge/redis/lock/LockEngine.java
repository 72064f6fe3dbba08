/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.core.connection.DaemonThreads;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.Waiting;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Takes, keeps and gives up locks, asynchronously and without blocking. Ownership is the
 * instance and a handle, never a thread. One thread looks after all timers of the
 * instance; what it starts runs on the driver's threads, so a command that hangs delays
 * no other.
 */
final class LockEngine {

	private static final Log logger = LogFactory.getLog(LockEngine.class);

	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(1);

	private static final long WAKEFUL_MILLIS = 200;

	private final RedisLocks redis;

	private final GuardEvents events;

	private final ScheduledThreadPoolExecutor timers;

	private final LockQueues queues;

	private final Set<HeldLock> held = ConcurrentHashMap.newKeySet();

	private final AtomicLong handles = new AtomicLong();

	private final AtomicBoolean wakeful = new AtomicBoolean();

	LockEngine(RedisLocks redis, GuardEvents events) {
		this.redis = redis;
		this.events = events;
		this.timers = new ScheduledThreadPoolExecutor(1, DaemonThreads.named("ge-redis-lock"));
		this.timers.setRemoveOnCancelPolicy(true);
		this.queues = new LockQueues(this, (attempt) -> {
			attempt.budget = redis.newBudget();
			ask(attempt, true);
		});
		redis.listen(this::offered, this::recovered);
		redis.onRecovery(this::recovered);
	}

	RedisLocks redis() {
		return this.redis;
	}

	RedisLockKey key(String name, List<String> parts) {
		return this.redis.key(name, parts);
	}

	/**
	 * Asks for a lock, and waits for it as the settings say.
	 * @return completes with what came of it, or with {@code RedisUnavailableException};
	 * may be cancelled
	 */
	CompletableFuture<Acquisition> acquire(LockSettings settings, RedisLockKey key) {
		LockAttempt attempt = new LockAttempt(settings, key, Long.toString(this.handles.incrementAndGet()),
				this.redis.newBudget());
		if (settings.waitTime().isZero()) {
			ask(attempt, false);
		}
		else {
			this.queues.join(attempt);
		}
		return attempt;
	}

	private void ask(LockAttempt attempt, boolean waits) {
		long sent = System.nanoTime();
		this.redis.acquire(attempt.key, attempt.handle, attempt.settings.leaseTime(), waits, attempt.budget)
			.whenComplete((answer, failure) -> {
				if (failure == null && !answer.acquired()) {
					refused(attempt, waits, answer.leaseMillis());
					return;
				}
				HeldLock lock = (failure == null) ? hold(attempt, answer.token(), sent) : null;
				if (waits && lock != null) {
					this.queues.leave(attempt, true);
				}
				else if (waits) {
					// On another thread: it may be the caller's, who waits for nobody
					// else
					schedule(() -> this.queues.fail(attempt, Waiting.cause(failure)), 0);
				}
				boolean taken = (lock != null) ? attempt.complete(new Acquisition.Acquired(lock))
						: attempt.completeExceptionally(Waiting.cause(failure));
				if (lock != null && !taken) {
					lock.release();
				}
			});
	}

	private void refused(LockAttempt attempt, boolean waits, long leaseMillis) {
		if (waits) {
			this.queues.busy(attempt, leaseMillis);
		}
		else {
			attempt.busyFor(leaseMillis);
			attempt.complete(attempt.refused());
		}
	}

	private HeldLock hold(LockAttempt attempt, long token, long sent) {
		HeldLock lock = new HeldLock(this, attempt, token, sent);
		this.held.add(lock);
		lock.start();
		return lock;
	}

	private void offered(String text) {
		RedisLockKey key = this.redis.key(text);
		if (!this.queues.offer(key)) {
			this.redis.leave(key);
		}
	}

	private void recovered() {
		this.queues.offerAll();
		this.held.forEach(HeldLock::verify);
	}

	void finished(HeldLock lock, Duration heldFor) {
		this.events.publish(new LockReleaseEvent(lock.name(), heldFor));
	}

	void released(HeldLock lock, boolean wasMine) {
		this.held.remove(lock);
		if (!wasMine) {
			tellLoss(lock, LockLostEvent.Cause.NOT_OWNER);
		}
	}

	void lost(HeldLock lock, LockLostEvent.Cause cause) {
		this.held.remove(lock);
		tellLoss(lock, cause);
	}

	private void tellLoss(HeldLock lock, LockLostEvent.Cause cause) {
		logger.warn("The lock '" + lock.name() + "' was lost while its holder was at work: "
				+ ((cause == LockLostEvent.Cause.EXPIRED) ? "the lease could not be extended in time"
						: "Redis does not know the holder any more"));
		this.events.publish(new LockLostEvent(lock.name(), lock.token(), cause));
	}

	@Nullable Future<?> schedule(Runnable task, long nanos) {
		try {
			stayWakeful();
			return this.timers.schedule(task, nanos, TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			return null; // shutting down: the lease ends by itself
		}
	}

	/**
	 * A timer that becomes the next one due wakes the thread of the timers, which then
	 * goes back to sleep: twice per cycle of an uncontended lock, and as dear as the
	 * cycle. So while there are timers, a short one is always ahead of them.
	 */
	private void stayWakeful() {
		if (!this.wakeful.get() && this.wakeful.compareAndSet(false, true)) {
			this.timers.schedule(this::rest, WAKEFUL_MILLIS, TimeUnit.MILLISECONDS);
		}
	}

	private void rest() {
		this.wakeful.set(false);
		if (!this.timers.getQueue().isEmpty()) {
			stayWakeful();
		}
	}

	int waiting() {
		return this.queues.waiting();
	}

	int held() {
		return this.held.size();
	}

	void start() {
		this.queues.open();
	}

	/**
	 * Ends all waiting and sees releases under way through. What is still at work keeps
	 * its lock until it closes it or the lease ends.
	 */
	void stop() {
		this.queues.close();
		CompletableFuture<?>[] underWay = this.held.stream()
			.filter(HeldLock::isReleased)
			.map(HeldLock::release)
			.toArray(CompletableFuture[]::new);
		Waiting.await(CompletableFuture.allOf(underWay)
			.completeOnTimeout(null, STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
	}

	void close() {
		this.timers.shutdownNow();
	}

}
