/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.ge.redis.core.bus.Reports;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.connection.DaemonThreads;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.GuardConfigurationException;
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

	/** How long who is at work when the application is closed may take to finish. */
	private static final Duration LAST_WORK = Duration.ofMillis(100);

	private static final long WAKEFUL_MILLIS = 200;

	private static final int SECRET_BYTES = 16;

	private static final int HANDLE_BYTES = 12;

	private final RedisLocks redis;

	private final RedisShares redisShares;

	private final GuardEvents events;

	private final GuardedCalls calls;

	private final ScheduledThreadPoolExecutor timers;

	private final LockQueues queues;

	private final ShareQueue shares;

	private final Set<HeldLock> held = ConcurrentHashMap.newKeySet();

	private final byte[] secret = new byte[SECRET_BYTES];

	private final AtomicLong handles = new AtomicLong();

	private final AtomicBoolean wakeful = new AtomicBoolean();

	private final UnderWay underWay = new UnderWay();

	LockEngine(RedisLocks redis, RedisShares redisShares, GuardEvents events, GuardedCalls calls) {
		new SecureRandom().nextBytes(this.secret);
		this.redis = redis;
		this.redisShares = redisShares;
		this.events = events;
		this.calls = calls;
		this.timers = new ScheduledThreadPoolExecutor(1, DaemonThreads.named("ge-redis-lock"));
		this.timers.setRemoveOnCancelPolicy(true);
		this.queues = new LockQueues(this, redis, new LocalLocks(this.underWay));
		this.shares = new ShareQueue(this, redisShares, this.underWay);
		redisShares.listen(this.shares::granted);
		Candidacies candidacies = this.queues.candidacies();
		redis.listen((handle, key) -> candidacies.granted(handle, redis.key(key)),
				(key) -> candidacies.offered(redis.key(key)), (handle, key) -> takenAway(handle, redis.key(key)),
				this::recovered);
		redis.onRecovery(this::recovered);
		redis.reports().give(this::report);
	}

	RedisLockKey key(String name, List<String> parts) {
		return this.redis.key(name, parts);
	}

	/**
	 * Asks for a lock, and waits for it as the settings say.
	 * @return completes with what came of it, or with {@code RedisUnavailableException};
	 * may be cancelled
	 */
	CompletableFuture<LockDecision> acquire(LockSettings settings, RedisLockKey key) {
		if (settings.replicas() > 0) {
			requireReplicas("The lock '" + settings.name() + "'");
		}
		if (settings.isShared()) {
			return this.shares.join(settings, key);
		}
		LockAttempt attempt = new LockAttempt(settings, key, this.redis.newBudget());
		if (settings.waitTime().isZero()) {
			this.underWay.begin();
			try {
				askOnce(attempt);
			}
			finally {
				this.underWay.end();
			}
		}
		else {
			this.queues.join(attempt);
		}
		return attempt;
	}

	/**
	 * Refuses what the driver cannot give.
	 * @throws GuardConfigurationException if replicas cannot be waited for
	 */
	void requireReplicas(String place) {
		if (!this.redis.canBeConfirmed()) {
			throw new GuardConfigurationException(place,
					"replicas cannot be waited for with this driver, which must be Lettuce, or Jedis without a cluster.",
					"Use Lettuce, or leave ge.redis.lock.replicas at 0.");
		}
	}

	private void askOnce(LockAttempt attempt) {
		if (this.queues.isClosed()) {
			attempt.complete(attempt.refused());
			return;
		}
		String handle = newHandle();
		long sent = System.nanoTime();
		underWay(this.redis.acquire(attempt.key, handle, attempt.settings.leaseTime(), false, attempt.budget)
			.whenComplete((answer, failure) -> {
				if (failure != null) {
					attempt.completeExceptionally(cause(failure));
				}
				else if (answer.tokens() == null) {
					attempt.freeAt = answer.freeAt();
					attempt.complete(attempt.refused());
				}
				else {
					this.queues.hold(attempt, handle, answer.tokens(), sent);
				}
			}));
	}

	/**
	 * Makes a handle that nobody can guess, also not by those that were before.
	 */
	String newHandle() {
		return RedisLockKey.hash(ByteBuffer.allocate(SECRET_BYTES + Long.BYTES)
			.put(this.secret)
			.putLong(this.handles.incrementAndGet())
			.array(), HANDLE_BYTES);
	}

	static Throwable cause(Throwable failure) {
		return Waiting.cause(failure);
	}

	/**
	 * Asks for what may have been missed, and learns at once, not only at the next
	 * extension, which locks have survived.
	 */
	private void recovered() {
		this.queues.candidacies().askAll();
		this.shares.askAll();
		long now = System.nanoTime();
		renew(Tenure::isVerifiable, new LinkedHashMap<>(), now).forEach((tenure) -> tenure.retrySoon(now));
	}

	/**
	 * Extends a lease, and with it those that are due soon.
	 */
	void renew(Tenure due, long now) {
		Map<String, Tenure> tenures = new LinkedHashMap<>();
		tenures.put(due.handle, due);
		renew((tenure) -> tenure.isDueSoon(now), tenures, now);
	}

	private Collection<Tenure> renew(Predicate<Tenure> which, Map<String, Tenure> tenures, long now) {
		for (HeldLock section : this.held) {
			if (which.test(section.tenure)) {
				tenures.putIfAbsent(section.tenure.handle, section.tenure);
			}
		}
		List<LeaseRenewal> whole = new ArrayList<>(tenures.size());
		List<LeaseRenewal> shared = new ArrayList<>();
		tenures.values().forEach((tenure) -> (tenure.isShare() ? shared : whole).add(tenure.renewal(now)));
		BiConsumer<LeaseRenewal, Boolean> told = (renewal, mine) -> {
			Tenure tenure = tenures.get(renewal.handle());
			if (tenure != null) {
				tenure.renewed(now, renewal.lease(), mine);
			}
		};
		Consumer<LeaseRenewal> failed = (renewal) -> {
			Tenure tenure = tenures.get(renewal.handle());
			if (tenure != null) {
				tenure.retry();
			}
		};
		this.redis.renew(whole, told, failed);
		this.redisShares.renew(shared, told, failed);
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
		this.queues.takenAway(handle, key);
		this.shares.held().takenAway(handle);
	}

	private LockReport report(Reports.Filter filter) {
		List<LockReport.Queue> queues = new ArrayList<>(this.queues.waiters());
		queues.addAll(this.shares.waiters());
		return LockReport.of(filter, this.held.stream().filter((section) -> !section.isReleased()).toList(), queues);
	}

	RedisLocks redis() {
		return this.redis;
	}

	RedisShares redisShares() {
		return this.redisShares;
	}

	void entered(HeldLock section) {
		this.held.add(section);
	}

	/**
	 * A caller has given up its lock.
	 */
	void finished(HeldLock section, Duration heldFor) {
		this.events.publish(new LockReleaseEvent(section.name(), heldFor));
		if (section.tenure.isShare()) {
			this.shares.held().ended(section);
		}
		else {
			this.queues.ended(section);
		}
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
		if (tenure.isShare()) {
			this.shares.held().lost(tenure);
		}
		else {
			this.queues.lost(tenure);
		}
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
		section.interruptWork();
	}

	/**
	 * Lets a caller that does not wait go on, on a thread of its own application.
	 */
	CompletionStage<@Nullable Void> handOver(CompletableFuture<?> done) {
		// Whoever gives up waiting for a release does not stop it
		return this.calls.handOver(done.copy(), (nothing) -> null, (nothing) -> {
		});
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

	static void cancel(@Nullable Future<?> timer) {
		if (timer != null) {
			timer.cancel(false);
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
		return this.queues.waiting() + this.shares.waiting();
	}

	int held() {
		return this.held.size();
	}

	void start() {
		this.queues.open();
		this.shares.open();
	}

	/**
	 * Counts a command whose answer may lead to others, until that was dealt with.
	 */
	void underWay(CompletionStage<?> command) {
		this.underWay.add(command);
	}

	/**
	 * Ends all waiting and sees through what is under way: after that the connection may
	 * be closed, and an answer that nobody takes would leave a lock to its lease. Who is
	 * about to finish can do so; what is still at work after that keeps its lock until it
	 * closes it or the lease ends.
	 */
	void stop() {
		this.queues.close();
		this.shares.close();
		CompletableFuture<?>[] atWork = this.held.stream()
			.map(HeldLock::whenReleased)
			.toArray(CompletableFuture[]::new);
		Waiting.await(
				CompletableFuture.allOf(atWork).completeOnTimeout(null, LAST_WORK.toMillis(), TimeUnit.MILLISECONDS));
		Waiting.await(this.underWay.over().completeOnTimeout(null, STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
	}

	void close() {
		this.timers.shutdownNow();
	}

}
