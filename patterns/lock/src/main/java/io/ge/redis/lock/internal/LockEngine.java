// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.ge.redis.core.bus.Reports;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * Takes, keeps and releases locks, asynchronously and without blocking. Ownership is the
 * instance and a handle, never a thread.
 * <p>
 * {@link LockAttempt} finds locks to enter again. {@link LockQueues} decides which caller
 * is next. {@link LockLease} notices a loss, and {@link TransactionLocks} vetoes the
 * commit.
 */
final class LockEngine {

	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(1);

	/** Time for holders at work to finish when the application is closed. */
	private static final Duration LAST_WORK = Duration.ofMillis(100);

	private final RedisLocks redis;

	private final RedisShares shares;

	private final LockTimers timers = new LockTimers();

	private final LocalLocks locals = new LocalLocks();

	private final LockLeases leases;

	private final LockQueues queues;

	public LockEngine(RedisLocks redis, RedisShares shares, GuardEvents events, GuardedCalls calls) {
		this.redis = redis;
		this.shares = shares;
		this.queues = new LockQueues(this.locals, this.timers, events, calls);
		this.leases = this.queues.leases();
		redis.onGrant((handle, key) -> this.queues.queued().granted(redis, handle, key));
		shares.onGrant((handle, key) -> this.queues.queued().granted(shares, handle, key));
		redis.listen(this.queues.queued()::offered, this::takenAway, this::recovered);
		redis.reports().give(this::report);
	}

	public RedisLockKey key(String name, List<String> parts) {
		return this.redis.key(name, parts);
	}

	/**
	 * Asks for a lock, and waits for it as the settings say.
	 */
	public CompletableFuture<LockDecision> acquire(LockSettings settings, RedisLockKey key) {
		RedisLocks of = settings.isShared() ? this.shares : this.redis;
		LockRequest request = new LockRequest(settings, key, of.newBudget());
		if (settings.waitTime().isZero()) {
			this.queues.askOnce(request, of);
		}
		else {
			this.queues.join(request, of);
		}
		return request;
	}

	/**
	 * Asks for messages that may have been missed, and verifies leases at once, not only
	 * at the next extension.
	 */
	private void recovered() {
		this.queues.queued().askAll();
		this.leases.verify();
	}

	private void takenAway(String handle, RedisLockKey key) {
		this.leases.takenAway(handle, key);
		this.queues.takenAway(handle);
	}

	private LockReport report(Reports.Filter filter) {
		List<HeldLock> held = this.leases.held().stream().filter((section) -> !section.isReleased()).toList();
		List<LockReport.Holder> holders = held.stream()
			.filter((lock) -> filter.includes(lock.name(), lock.lease.key::hash))
			.map((lock) -> new LockReport.Holder(lock.name(), lock.lease.key.text(), lock.token(), lock.age(),
					lock.remaining()))
			.sorted(Comparator.comparing(LockReport.Holder::age).reversed())
			.limit(LockReport.MOST)
			.toList();
		Map<RedisLockKey, LockReport.Waiters> queues = this.locals.waiters();
		List<LockReport.Waiters> waiters = queues.entrySet()
			.stream()
			.filter((queue) -> filter.includes(queue.getValue().name(), queue.getKey()::hash))
			.map(Map.Entry::getValue)
			.sorted(Comparator.comparing(LockReport.Waiters::count).reversed())
			.limit(LockReport.MOST)
			.toList();
		return new LockReport(Reports.process(), held.size(), queues.size(), holders, waiters);
	}

	public Reports<LockReport> reports() {
		return this.redis.reports();
	}

	public RedisLockKey key(String text) {
		return this.redis.key(text);
	}

	/**
	 * Reads the state of a lock, and its holders if several have it.
	 */
	public CompletableFuture<LockState> look(RedisLockKey key) {
		return this.redis.look(key)
			.thenCompose((state) -> state.isShared() ? this.shares.lookAtShares(key).thenApply(state::sharedBy)
					: CompletableFuture.completedFuture(state));
	}

	/**
	 * Takes a lock away from its holder, or from all that share it.
	 */
	public boolean force(RedisLockKey key) {
		return Waiting.await(this.redis.force(key)) || Waiting.await(this.shares.force(key));
	}

	public boolean isOf(HeldLock lock, RedisLockKey key) {
		return lock.isOf(this.leases, key);
	}

	/**
	 * Lets an asynchronous caller continue when its locks are released.
	 */
	public CompletionStage<@Nullable Void> handOver(CompletableFuture<?> done) {
		return this.leases.handOver(done);
	}

	public int waiting() {
		return this.locals.waiting();
	}

	public int held() {
		return this.leases.held().size();
	}

	public void start() {
		this.queues.open();
	}

	/**
	 * Ends all waiting and completes what is pending: after that the connection may be
	 * closed, and an unread answer would leave a lock to its lease. Holders that are
	 * about to finish can do so. Those still at work after that keep their locks until
	 * they close them or the leases end.
	 */
	public void stop() {
		this.queues.close();
		CompletableFuture<?>[] atWork = this.leases.held()
			.stream()
			.map(HeldLock::whenReleased)
			.toArray(CompletableFuture[]::new);
		Waiting.await(
				CompletableFuture.allOf(atWork).completeOnTimeout(null, LAST_WORK.toMillis(), TimeUnit.MILLISECONDS));
		Waiting.await(this.locals.settled().completeOnTimeout(null, STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
	}

	public void close() {
		this.timers.close();
	}

}
