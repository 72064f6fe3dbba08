/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this instance that want a lock, in order, and who of them has it.
 * <p>
 * Towards Redis the instance acts as one. While it does not have the lock and somebody
 * waits it is a {@link Candidacy}: it asks at first, when messages may have been lost,
 * and otherwise once a second or when the lease of the present owner ends; at most one
 * question is under way, and what is heard meanwhile makes it ask again, since the answer
 * may be older. When it gets the lock, by an answer or by a message, the first waiter has
 * it; Redis knows only the candidacy, so it does not matter who has asked.
 * <p>
 * While it has the lock ({@link Tenure}) nobody asks. When a section ends and others
 * wait, the lock stays for {@link Tenure#LONGEST_NANOS} and for the tokens that were
 * reserved: it is open, and the first waiter is let in on the thread of the timers.
 * Callers that come meanwhile and are running already go first. That is what makes it
 * fast, since waking a thread takes longer than most sections; it is bounded, since the
 * first section of each tenure is the first waiter's. Then the lock is released in Redis,
 * and by the same command the instance becomes a candidate again, behind the others.
 * <p>
 * Everything is decided under one lock and done outside it: commands are sent and
 * attempts completed after it is given back. The one exception is leaving the queue in
 * Redis, which must be sent before the next candidacy for the same lock.
 */
final class LockQueues {

	/** With the jitter and the question less than a second. */
	private static final long BACKSTOP_MILLIS = 900;

	private static final long JITTER_MILLIS = 50;

	/** Lets a key that ends with a millisecond be gone when it is asked for. */
	private static final long EXPIRY_MILLIS = 2;

	private final Map<RedisLockKey, LocalLock> locals = new HashMap<>();

	/**
	 * The handles of tenures that were candidacies, until Redis has answered their
	 * release: what is still heard of them is no news.
	 */
	private final Set<String> inUse = ConcurrentHashMap.newKeySet();

	private final Lock lock = new ReentrantLock();

	private final AtomicInteger waiting = new AtomicInteger();

	private final LockEngine engine;

	private final RedisLocks redis;

	private boolean closed;

	LockQueues(LockEngine engine, RedisLocks redis) {
		this.engine = engine;
		this.redis = redis;
	}

	int waiting() {
		return this.waiting.get();
	}

	/**
	 * Returns how many callers of this instance wait for a lock.
	 */
	int waiting(RedisLockKey key) {
		this.lock.lock();
		try {
			LocalLock local = this.locals.get(key);
			return (local != null) ? local.waiters.size() : 0;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Lets an attempt in if the lock is open here, else adds it at the end.
	 */
	void join(LockAttempt attempt) {
		attempt.queues = this;
		decide((then) -> {
			if (this.closed) {
				attempt.left = true;
				then.add(() -> attempt.complete(attempt.refused()));
				return;
			}
			LocalLock local = local(attempt.key);
			if (local.open && local.tenure != null && local.tenure.canServe(attempt)) {
				attempt.left = true;
				letIn(local, local.tenure, attempt, then);
				return;
			}
			local.waiters.addLast(attempt);
			this.waiting.incrementAndGet();
			if (local.tenure == null && local.candidacy == null) {
				// Gets an answer within its budget, and most often the lock
				apply(local, attempt.budget, then);
			}
			else {
				waitUntilTimeout(attempt);
			}
		});
	}

	private LocalLock local(RedisLockKey key) {
		return this.locals.computeIfAbsent(key, LocalLock::new);
	}

	private void letIn(LocalLock local, Tenure tenure, LockAttempt attempt, Actions then) {
		local.open = false;
		HeldLock section = tenure.enter(attempt);
		then.add(() -> {
			tenure.tellIfLost(section);
			if (!attempt.complete(new Acquisition.Acquired(section))) {
				section.release();
			}
		});
	}

	private void letFirstIn(LocalLock local, Tenure tenure, Actions then) {
		LockAttempt first = local.waiters.removeFirst();
		depart(first);
		letIn(local, tenure, first, then);
	}

	private void depart(LockAttempt attempt) {
		attempt.left = true;
		this.waiting.decrementAndGet();
		cancel(attempt.timeout);
	}

	// Becoming a candidate

	private void apply(LocalLock local, CallBudget budget, Actions then) {
		Candidacy candidacy = new Candidacy(this.engine.newHandle(), budget);
		local.candidacy = candidacy;
		ask(local, candidacy, then);
	}

	private void ask(LocalLock local, Candidacy candidacy, Actions then) {
		cancel(candidacy.backstop);
		candidacy.asking = true;
		candidacy.askAgain = false;
		Duration lease = local.waiters.getFirst().settings.leaseTime();
		then.add(() -> send(local, candidacy, lease));
	}

	private void askAnew(LocalLock local, Candidacy candidacy, Actions then) {
		if (candidacy.asking) {
			candidacy.askAgain = true;
			return;
		}
		if (local.waiters.isEmpty()) {
			abandon(local, then);
			return;
		}
		candidacy.budget = this.redis.newBudget();
		ask(local, candidacy, then);
	}

	private void send(LocalLock local, Candidacy candidacy, Duration lease) {
		long sent = System.nanoTime();
		this.redis.acquire(local.key, candidacy.handle, lease, true, candidacy.budget, () -> candidacy.granted)
			.whenComplete((answer, failure) -> {
				if (failure != null) {
					// On another thread: it may be the caller's, who waits for nobody
					// else
					this.engine.run(() -> fail(local, candidacy, failure));
				}
				else if (answer.tokens() != null) {
					acquired(local, candidacy, answer.tokens(), sent, lease);
				}
				else {
					busy(local, candidacy, answer.leaseMillis(), sent);
				}
			});
	}

	/**
	 * Takes the answer that the lock is this instance's.
	 */
	private void acquired(LocalLock local, Candidacy candidacy, TokenRange tokens, long sent, Duration lease) {
		decide((then) -> {
			if (local.candidacy == candidacy) {
				begin(local, candidacy, tokens, sent, lease, then);
			}
			else if (!this.inUse.contains(candidacy.handle)) {
				then.add(() -> this.redis.releaseEventually(local.key, candidacy.handle, lease, Duration.ZERO));
			}
		});
	}

	private void begin(LocalLock local, Candidacy candidacy, TokenRange tokens, long since, Duration lease,
			Actions then) {
		cancel(candidacy.backstop);
		local.candidacy = null;
		LockAttempt first = local.waiters.peekFirst();
		if (first == null) {
			forgetIfIdle(local);
			then.add(() -> this.redis.releaseEventually(local.key, candidacy.handle, lease, Duration.ZERO));
			return;
		}
		first.budget = candidacy.budget;
		Tenure tenure = new Tenure(this.engine, local.key, candidacy.handle, tokens, first.settings, since, lease);
		local.tenure = tenure;
		this.inUse.add(tenure.handle);
		tenure.start();
		letFirstIn(local, tenure, then);
	}

	/**
	 * Takes the answer that the lock is taken.
	 */
	private void busy(LocalLock local, Candidacy candidacy, long leaseMillis, long sent) {
		decide((then) -> {
			if (local.candidacy != candidacy) {
				if (!this.locals.containsKey(local.key)) {
					this.redis.leave(local.key, candidacy.handle);
				}
				return;
			}
			candidacy.asking = false;
			candidacy.absentSince = sent;
			local.leaseEnd = (leaseMillis >= 0) ? System.nanoTime() + leaseMillis * 1_000_000 : null;
			for (LockAttempt first = local.waiters.peekFirst(); first != null
					&& first.isOverdue(); first = local.waiters.peekFirst()) {
				refuse(local, first, then);
			}
			if (local.waiters.isEmpty()) {
				abandon(local, then);
				return;
			}
			if (candidacy.askAgain) {
				askAnew(local, candidacy, then);
				return;
			}
			waitUntilTimeout(local.waiters.getFirst());
			candidacy.backstop = this.engine.schedule(() -> retry(local, candidacy), backstopNanos(leaseMillis));
		});
	}

	private void refuse(LocalLock local, LockAttempt attempt, Actions then) {
		local.waiters.remove(attempt);
		depart(attempt);
		attempt.busyUntil(local.leaseEnd());
		then.add(() -> attempt.complete(attempt.refused()));
	}

	private void waitUntilTimeout(LockAttempt attempt) {
		if (attempt.timeout == null) {
			attempt.timeout = this.engine.schedule(() -> expire(attempt), attempt.waitLeftNanos());
		}
	}

	private static long backstopNanos(long leaseMillis) {
		long jittered = BACKSTOP_MILLIS + ThreadLocalRandom.current().nextLong(JITTER_MILLIS);
		long millis = (leaseMillis >= 0) ? Math.min(leaseMillis + EXPIRY_MILLIS, jittered) : jittered;
		return millis * 1_000_000;
	}

	private void retry(LocalLock local, Candidacy candidacy) {
		decide((then) -> {
			if (local.candidacy == candidacy && !candidacy.asking) {
				askAnew(local, candidacy, then);
			}
		});
	}

	/**
	 * Ends the waiting of all for whom Redis gave no answer: asking for one after the
	 * other would cost each of them the budgets of those before.
	 */
	private void fail(LocalLock local, Candidacy candidacy, Throwable failure) {
		decide((then) -> {
			if (local.candidacy != candidacy) {
				return;
			}
			for (LockAttempt attempt : List.copyOf(local.waiters)) {
				local.waiters.remove(attempt);
				depart(attempt);
				then.add(() -> attempt.completeExceptionally(LockEngine.cause(failure)));
			}
			candidacy.asking = false;
			abandon(local, then);
		});
	}

	// Giving up

	/**
	 * Takes an attempt out of its queue, since its caller has given up.
	 */
	void leave(LockAttempt attempt) {
		decide((then) -> {
			LocalLock local = attempt.left ? null : this.locals.get(attempt.key);
			if (local != null) {
				local.waiters.remove(attempt);
				depart(attempt);
				abandonIfUnwanted(local, then);
			}
		});
	}

	private void expire(LockAttempt attempt) {
		decide((then) -> {
			LocalLock local = attempt.left ? null : this.locals.get(attempt.key);
			// A question under way is bounded by its budget, and its answer must be known
			if (local == null
					|| (local.candidacy != null && local.candidacy.asking && local.waiters.peekFirst() == attempt)) {
				return;
			}
			refuse(local, attempt, then);
			abandonIfUnwanted(local, then);
		});
	}

	private void abandonIfUnwanted(LocalLock local, Actions then) {
		if (local.waiters.isEmpty()) {
			abandon(local, then);
		}
	}

	/**
	 * Nobody waits any more. A question under way is followed up when it is answered.
	 */
	private void abandon(LocalLock local, Actions then) {
		Candidacy candidacy = local.candidacy;
		if (candidacy != null && !candidacy.asking) {
			cancel(candidacy.backstop);
			local.candidacy = null;
			this.redis.leave(local.key, candidacy.handle);
		}
		if (local.tenure != null && local.open) {
			release(local, local.tenure, then);
		}
		forgetIfIdle(local);
	}

	private void forgetIfIdle(LocalLock local) {
		if (local.isIdle()) {
			this.locals.remove(local.key, local);
		}
	}

	// Having the lock

	/**
	 * Lets in an attempt that has not waited and got the lock by its own handle.
	 */
	HeldLock hold(LockAttempt attempt, String handle, TokenRange tokens, long since) {
		Tenure tenure = new Tenure(this.engine, attempt.key, handle, tokens, attempt.settings, since,
				attempt.settings.leaseTime());
		tenure.start();
		HeldLock section;
		this.lock.lock();
		try {
			LocalLock local = local(attempt.key);
			local.tenure = tenure;
			local.open = false;
			section = tenure.enter(attempt);
		}
		finally {
			this.lock.unlock();
		}
		tenure.tellIfLost(section);
		return section;
	}

	/**
	 * Takes the message that the lock is this instance's.
	 */
	void granted(RedisLocks.Grant grant) {
		decide((then) -> {
			RedisLockKey key = this.redis.key(grant.key());
			LocalLock local = this.locals.get(key);
			Candidacy candidacy = (local != null) ? local.candidacy : null;
			if (local == null || candidacy == null || !candidacy.handle.equals(grant.handle())) {
				if (!this.inUse.contains(grant.handle())) {
					then.add(() -> this.redis.refuse(key, grant.handle()));
				}
			}
			else if (Tenure.isWorthwhile(candidacy.absentSince)) {
				candidacy.granted = true;
				candidacy.budget = this.redis.newBudget();
				this.redis.seen(grant.tokens());
				begin(local, candidacy, grant.tokens(), candidacy.absentSince, RedisLocks.GRANT, then);
			}
			else {
				askAnew(local, candidacy, then);
			}
		});
	}

	/**
	 * Takes the message that the lock is set aside for this instance.
	 */
	void offered(RedisLockKey key) {
		decide((then) -> {
			LocalLock local = this.locals.get(key);
			if (local != null && local.candidacy != null) {
				askAnew(local, local.candidacy, then);
			}
			else if (local == null) {
				this.redis.leave(key, null);
			}
		});
	}

	/**
	 * Lets all candidacies ask, since messages may have been lost.
	 */
	void askAll() {
		decide((then) -> {
			for (LocalLock local : List.copyOf(this.locals.values())) {
				if (local.candidacy != null) {
					askAnew(local, local.candidacy, then);
				}
			}
		});
	}

	/**
	 * Goes on after a section: with the next waiter, or in Redis.
	 */
	void ended(HeldLock section) {
		Tenure tenure = section.tenure;
		decide((then) -> {
			LocalLock local = this.locals.get(tenure.key);
			if (local == null || local.tenure != tenure) {
				then.add(() -> release(tenure, section));
				return;
			}
			LockAttempt first = local.waiters.peekFirst();
			if (first != null && tenure.canServe(first) && section.keep().isZero()) {
				local.open = true;
				if (!local.serving) {
					local.serving = true;
					then.add(() -> this.engine.run(() -> serve(local)));
				}
				then.add(() -> this.engine.released(section, true));
				return;
			}
			release(local, tenure, then);
		});
	}

	private void serve(LocalLock local) {
		decide((then) -> {
			local.serving = false;
			Tenure tenure = local.tenure;
			if (tenure == null || !local.open) {
				return;
			}
			LockAttempt first = local.waiters.peekFirst();
			if (first != null && tenure.canServe(first)) {
				letFirstIn(local, tenure, then);
			}
			else {
				release(local, tenure, then);
			}
		});
	}

	/**
	 * Gives the lock up in Redis; who still waits here goes on waiting.
	 */
	private void release(LocalLock local, Tenure tenure, Actions then) {
		HeldLock section = local.open ? null : tenure.section();
		local.tenure = null;
		local.open = false;
		if (local.waiters.isEmpty()) {
			abandon(local, then);
		}
		if (local.waiters.isEmpty() || local.candidacy != null) {
			then.add(() -> release(tenure, section));
			return;
		}
		Candidacy following = new Candidacy(this.engine.newHandle(), this.redis.newBudget());
		local.candidacy = following;
		Duration lease = local.waiters.getFirst().settings.leaseTime();
		then.add(() -> release(tenure, section, local, following, lease));
	}

	private void release(Tenure tenure, @Nullable HeldLock section) {
		Tenure.State before = tenure.end();
		if (before == Tenure.State.HELD) {
			Duration keep = keep(section);
			this.redis.release(tenure.key, tenure.handle, null, Duration.ZERO, keep, budget(section))
				.whenComplete((handover, failure) -> {
					if (failure != null) {
						this.redis.releaseEventually(tenure.key, tenure.handle, tenure.leaseTime(), keep);
					}
					over(tenure, section, failure != null || handover.mine());
				});
			return;
		}
		releaseLost(tenure, section, before);
	}

	private void releaseLost(Tenure tenure, @Nullable HeldLock section, Tenure.State before) {
		if (before == Tenure.State.EXPIRED) {
			this.redis.releaseEventually(tenure.key, tenure.handle, tenure.leaseTime(), Duration.ZERO);
		}
		if (section != null) {
			this.engine.lostSection(section, before.cause());
		}
		over(tenure, section, true);
	}

	private void over(Tenure tenure, @Nullable HeldLock section, boolean wasMine) {
		this.inUse.remove(tenure.handle);
		this.engine.released(section, wasMine);
	}

	private void release(Tenure tenure, @Nullable HeldLock section, LocalLock local, Candidacy following,
			Duration lease) {
		Tenure.State before = tenure.end();
		if (before != Tenure.State.HELD) {
			releaseLost(tenure, section, before);
			askWith(local, following);
			return;
		}
		long sent = System.nanoTime();
		Duration keep = keep(section);
		this.redis.release(tenure.key, tenure.handle, following.handle, lease, keep, budget(section))
			.whenComplete((handover, failure) -> {
				if (failure != null) {
					this.redis.releaseEventually(tenure.key, tenure.handle, tenure.leaseTime(), keep);
					this.redis.releaseEventually(tenure.key, following.handle, lease, Duration.ZERO);
				}
				over(tenure, section, failure != null || handover.mine());
				if (failure != null) {
					applyAnew(local, following);
				}
				else if (handover.tokens() != null) {
					acquired(local, following, handover.tokens(), sent, lease);
				}
				else if (handover.elsewhere() && keep.isZero()) {
					busy(local, following, -1, sent);
				}
				else {
					askWith(local, following);
				}
			});
	}

	private static Duration keep(@Nullable HeldLock section) {
		return (section != null) ? section.keep() : Duration.ZERO;
	}

	private CallBudget budget(@Nullable HeldLock section) {
		return (section != null) ? section.budget : this.redis.newBudget();
	}

	private void askWith(LocalLock local, Candidacy candidacy) {
		decide((then) -> {
			if (local.candidacy == candidacy) {
				candidacy.asking = false;
				askAnew(local, candidacy, then);
			}
		});
	}

	/**
	 * Asks with another handle, since nobody knows what became of the first one.
	 */
	private void applyAnew(LocalLock local, Candidacy unknown) {
		decide((then) -> {
			if (local.candidacy == unknown) {
				local.candidacy = null;
				if (local.waiters.isEmpty()) {
					forgetIfIdle(local);
				}
				else {
					apply(local, this.redis.newBudget(), then);
				}
			}
		});
	}

	/**
	 * Goes on without a tenure that is lost.
	 */
	void lost(Tenure tenure) {
		decide((then) -> {
			LocalLock local = this.locals.get(tenure.key);
			if (local != null && local.tenure == tenure) {
				if (local.open) {
					this.inUse.remove(tenure.handle);
				}
				local.tenure = null;
				local.open = false;
				if (!local.waiters.isEmpty() && local.candidacy == null) {
					apply(local, this.redis.newBudget(), then);
				}
				forgetIfIdle(local);
			}
		});
	}

	/**
	 * Ends all waiting; from now on nobody waits.
	 */
	void close() {
		decide((then) -> {
			this.closed = true;
			for (LocalLock local : List.copyOf(this.locals.values())) {
				for (LockAttempt attempt : List.copyOf(local.waiters)) {
					refuse(local, attempt, then);
				}
				abandon(local, then);
			}
		});
	}

	void open() {
		decide((then) -> this.closed = false);
	}

	private static void cancel(@Nullable Future<?> timer) {
		if (timer != null) {
			timer.cancel(false);
		}
	}

	private void decide(Decision decision) {
		Actions then = new Actions();
		this.lock.lock();
		try {
			decision.make(then);
		}
		finally {
			this.lock.unlock();
		}
		then.run();
	}

	/**
	 * Decides under the lock what is done outside it.
	 */
	@FunctionalInterface
	private interface Decision {

		void make(Actions then);

	}

	/**
	 * What is to be done, in order.
	 */
	private static final class Actions {

		private @Nullable Runnable first;

		private @Nullable List<Runnable> more;

		void add(Runnable action) {
			if (this.first == null) {
				this.first = action;
				return;
			}
			if (this.more == null) {
				this.more = new ArrayList<>(2);
			}
			this.more.add(action);
		}

		void run() {
			if (this.first != null) {
				this.first.run();
			}
			if (this.more != null) {
				this.more.forEach(Runnable::run);
			}
		}

	}

}
