/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

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
		this.queues = new LockQueues(this, redis);
		redis.listen(this.queues::granted, (key) -> this.queues.offered(redis.key(key)),
				(handle, key) -> takenAway(handle, redis.key(key)), this::recovered);
		redis.onRecovery(this::recovered);
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
		LockAttempt attempt = new LockAttempt(settings, key, this.redis.newBudget());
		if (settings.waitTime().isZero()) {
			askOnce(attempt);
		}
		else {
			this.queues.join(attempt);
		}
		return attempt;
	}

	private void askOnce(LockAttempt attempt) {
		String handle = newHandle();
		long sent = System.nanoTime();
		this.redis.acquire(attempt.key, handle, attempt.settings.leaseTime(), false, attempt.budget, () -> false)
			.whenComplete((answer, failure) -> {
				if (failure != null) {
					attempt.completeExceptionally(cause(failure));
				}
				else if (answer.tokens() == null) {
					attempt.busyUntil(
							(answer.leaseMillis() >= 0) ? System.nanoTime() + answer.leaseMillis() * 1_000_000 : null);
					attempt.complete(attempt.refused());
				}
				else {
					HeldLock lock = this.queues.hold(attempt, handle, answer.tokens(), sent);
					if (!attempt.complete(new Acquisition.Acquired(lock))) {
						lock.release();
					}
				}
			});
	}

	String newHandle() {
		return Long.toString(this.handles.incrementAndGet());
	}

	static Throwable cause(Throwable failure) {
		return Waiting.cause(failure);
	}

	/**
	 * Asks for what may have been missed, and learns at once, not only at the next
	 * extension, which locks have survived.
	 */
	private void recovered() {
		this.queues.askAll();
		long now = System.nanoTime();
		renew(Tenure::isVerifiable, new LinkedHashMap<>(), now).forEach((tenure) -> tenure.retrySoon(now));
	}

	/**
	 * Extends a lease, and with it those that are due soon.
	 */
	void renew(Tenure due, long now) {
		Map<RedisLockKey, Tenure> tenures = new LinkedHashMap<>();
		tenures.put(due.key, due);
		renew((tenure) -> tenure.isDueSoon(now), tenures, now);
	}

	private Collection<Tenure> renew(Predicate<Tenure> which, Map<RedisLockKey, Tenure> tenures, long now) {
		for (HeldLock section : this.held) {
			if (which.test(section.tenure)) {
				tenures.putIfAbsent(section.tenure.key, section.tenure);
			}
		}
		List<RedisLocks.Renewal> renewals = new ArrayList<>(tenures.size());
		tenures.values().forEach((tenure) -> renewals.add(tenure.renewal(now)));
		this.redis.renew(renewals, (renewal, mine) -> {
			Tenure tenure = tenures.get(renewal.key());
			if (tenure != null) {
				tenure.renewed(now, renewal.lease(), mine);
			}
		});
		return tenures.values();
	}

	/**
	 * An operator has released a lock of this instance.
	 */
	private void takenAway(String handle, RedisLockKey key) {
		for (HeldLock section : this.held) {
			if (section.tenure.handle.equals(handle) && section.tenure.key.equals(key)) {
				section.tenure.takenAway();
			}
		}
	}

	/**
	 * Lists the locks that callers of this instance hold.
	 */
	List<LockControl.Held> list() {
		List<LockControl.Held> all = new ArrayList<>();
		for (HeldLock section : this.held) {
			all.add(new LockControl.Held(section.name(), section.tenure.key.hash(), section.token(), section.age(),
					section.remaining(), this.queues.waiting(section.tenure.key)));
		}
		return all;
	}

	RedisLocks redis() {
		return this.redis;
	}

	void entered(HeldLock section) {
		this.held.add(section);
	}

	/**
	 * A caller has given up its lock.
	 */
	void finished(HeldLock section, Duration heldFor) {
		this.events.publish(new LockReleaseEvent(section.name(), heldFor));
		this.queues.ended(section);
	}

	/**
	 * A section is over, here and in Redis.
	 * @param wasMine whether it still had the lock, as far as is known
	 */
	void released(@Nullable HeldLock section, boolean wasMine) {
		if (section != null) {
			this.held.remove(section);
			if (!wasMine) {
				tellLoss(section, LockLostEvent.Cause.NOT_OWNER);
			}
			section.completeRelease();
		}
	}

	void lost(Tenure tenure, LockLostEvent.Cause cause) {
		HeldLock section = tenure.section();
		if (section != null && !section.isReleased()) {
			lostSection(section, cause);
		}
		this.queues.lost(tenure);
	}

	void lostSection(HeldLock section, LockLostEvent.Cause cause) {
		this.held.remove(section);
		tellLoss(section, cause);
	}

	private void tellLoss(HeldLock section, LockLostEvent.Cause cause) {
		if (!section.beginToTellLoss()) {
			return;
		}
		logger.warn("The lock '" + section.name() + "' was lost while its holder was at work: "
				+ ((cause == LockLostEvent.Cause.EXPIRED) ? "the lease could not be extended in time"
						: "Redis does not know the holder any more"));
		this.events.publish(new LockLostEvent(section.name(), section.token(), cause));
		section.interruptWorker();
	}

	/**
	 * Runs something on the thread of the timers.
	 */
	void run(Runnable task) {
		try {
			this.timers.execute(task);
		}
		catch (RejectedExecutionException ex) {
			task.run(); // shutting down
		}
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
