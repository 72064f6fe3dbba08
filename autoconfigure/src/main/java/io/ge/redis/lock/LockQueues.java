/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The callers of this instance that want a lock, in order, and who of them has it.
 * <p>
 * Invariant: of the callers of one lock at most one is inside a tenure, and the first
 * section of each tenure that was waited for is the first waiter's. While somebody waits
 * the instance has the lock or is a candidate for it: see {@link Candidacies}.
 * <p>
 * While it has the lock ({@link Tenure}) nobody asks. When a section ends and others
 * wait, the lock stays for {@link Tenure#LONGEST_NANOS} and for the tokens that were
 * reserved: it is open, and the first waiter is let in on the thread of the timers.
 * Callers that come meanwhile and are running already go first. That is what makes it
 * fast, since waking a thread takes longer than most sections; it is bounded, since the
 * first section of each tenure is the first waiter's. Then the lock is released in Redis
 * ({@link LockReleases}), and by the same command the instance becomes a candidate again,
 * behind the others.
 * <p>
 * A tenure that replicas must know of is confirmed before its first section begins: see
 * {@link LockConfirmations}.
 */
final class LockQueues {

	private final LocalLocks locals;

	private final AtomicInteger waiting = new AtomicInteger();

	private final LockEngine engine;

	private final Candidacies candidacies;

	private final LockReleases releases;

	private final LockConfirmations confirmations;

	private volatile boolean closed;

	LockQueues(LockEngine engine, RedisLocks redis, LocalLocks locals) {
		this.engine = engine;
		this.locals = locals;
		this.candidacies = new Candidacies(this.locals, this, engine, redis);
		this.releases = new LockReleases(this.candidacies, engine, redis);
		this.confirmations = new LockConfirmations(this.locals, this, engine, redis);
	}

	Candidacies candidacies() {
		return this.candidacies;
	}

	int waiting() {
		return this.waiting.get();
	}

	/**
	 * Returns how many callers of this instance wait for which lock.
	 */
	List<LockReport.Queue> waiters() {
		return this.locals.waiters();
	}

	/**
	 * Lets an attempt in if the lock is open here, else adds it at the end.
	 */
	void join(LockAttempt attempt) {
		attempt.queues = this;
		this.locals.decide((then) -> {
			if (this.closed) {
				attempt.left = true;
				then.add(() -> attempt.complete(attempt.refused()));
				return;
			}
			LocalLock local = this.locals.obtain(attempt.key);
			if (local.open && local.tenure != null && local.tenure.canServe(attempt)) {
				attempt.left = true;
				letIn(local, local.tenure, attempt, then);
				return;
			}
			local.waiters.addLast(attempt);
			this.waiting.incrementAndGet();
			if (local.tenure == null && local.candidacy == null) {
				// Gets an answer within its budget, and most often the lock
				this.candidacies.apply(local, attempt.budget, then);
			}
			else {
				waitUntilTimeout(attempt);
			}
		});
	}

	/**
	 * Lets in an attempt that has not waited and got the lock by its own handle.
	 */
	void hold(LockAttempt attempt, String handle, TokenRange tokens, long since) {
		Tenure tenure = new Tenure(this.engine, attempt.key, handle, tokens, attempt.settings, since,
				attempt.settings.leaseTime());
		this.locals.decide((then) -> {
			if (this.closed) {
				then.add(() -> this.releases.release(tenure, null));
				then.add(() -> attempt.complete(attempt.refused()));
				return;
			}
			tenure.start();
			LocalLock local = this.locals.obtain(attempt.key);
			this.confirmations.forget(local);
			local.tenure = tenure;
			if (attempt.settings.replicas() == 0) {
				letIn(local, tenure, attempt, then);
				return;
			}
			attempt.queues = this;
			local.waiters.addFirst(attempt);
			this.waiting.incrementAndGet();
			enter(local, tenure, attempt, then);
		});
	}

	/**
	 * Lets the first waiter into a tenure that begins, after replicas have confirmed it
	 * if that caller wants them to.
	 */
	private void enter(LocalLock local, Tenure tenure, LockAttempt first, Actions then) {
		if (first.settings.replicas() > 0) {
			local.open = false;
			this.confirmations.begin(local, tenure, first, then);
		}
		else {
			letFirstIn(local, tenure, then);
		}
	}

	private void letIn(LocalLock local, Tenure tenure, LockAttempt attempt, Actions then) {
		local.open = false;
		HeldLock section = tenure.enter(attempt);
		then.add(() -> {
			tenure.tellIfLost(section);
			if (!attempt.complete(new LockDecision.Acquired(section))) {
				section.giveBack();
			}
		});
	}

	void letFirstIn(LocalLock local, Tenure tenure, Actions then) {
		LockAttempt first = local.waiters.removeFirst();
		depart(first);
		letIn(local, tenure, first, then);
	}

	private void depart(LockAttempt attempt) {
		attempt.left = true;
		this.waiting.decrementAndGet();
		LockEngine.cancel(attempt.timeout);
	}

	/**
	 * Ends the waiting of one for whom it has failed.
	 */
	void fail(LocalLock local, LockAttempt attempt, Throwable failure, Actions then) {
		local.waiters.remove(attempt);
		depart(attempt);
		then.add(() -> attempt.completeExceptionally(LockEngine.cause(failure)));
	}

	private void refuse(LocalLock local, LockAttempt attempt, Actions then) {
		local.waiters.remove(attempt);
		depart(attempt);
		attempt.freeAt = local.freeAt();
		then.add(() -> attempt.complete(attempt.refused()));
	}

	// What becomes of a candidacy, told while deciding

	/**
	 * Serves the first waiter with a tenure that begins.
	 */
	void begin(LocalLock local, Tenure tenure, Actions then) {
		local.tenure = tenure;
		tenure.start();
		enter(local, tenure, local.waiters.getFirst(), then);
	}

	/**
	 * Goes on waiting, but for those that have waited for long enough.
	 * @return whether anybody is left
	 */
	boolean waitOn(LocalLock local, Actions then) {
		for (LockAttempt first = local.waiters.peekFirst(); first != null
				&& first.isOverdue(); first = local.waiters.peekFirst()) {
			refuse(local, first, then);
		}
		return !local.waiters.isEmpty();
	}

	void waitUntilTimeout(LockAttempt attempt) {
		if (attempt.timeout == null) {
			attempt.timeout = this.engine.schedule(() -> expire(attempt), attempt.waitLeftNanos());
		}
	}

	/**
	 * Ends the waiting of all for whom Redis gave no answer: asking for one after the
	 * other would cost each of them the budgets of those before.
	 */
	void failAll(LocalLock local, Throwable failure, Actions then) {
		for (LockAttempt attempt : List.copyOf(local.waiters)) {
			fail(local, attempt, failure, then);
		}
	}

	// Giving up

	/**
	 * Takes an attempt out of its queue, since its caller has given up.
	 */
	void leave(LockAttempt attempt) {
		this.locals.decide((then) -> {
			LocalLock local = attempt.left ? null : this.locals.find(attempt.key);
			if (local != null) {
				local.waiters.remove(attempt);
				depart(attempt);
				abandonIfUnwanted(local, then);
			}
		});
	}

	private void expire(LockAttempt attempt) {
		this.locals.decide((then) -> {
			LocalLock local = attempt.left ? null : this.locals.find(attempt.key);
			// A question under way is bounded by its budget, and its answer must be known
			if (local == null) {
				return;
			}
			if (local.confirming == attempt
					|| (local.candidacy != null && local.candidacy.asking && local.waiters.peekFirst() == attempt)) {
				attempt.timeout = null; // bounded by what is under way for it
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
	void abandon(LocalLock local, Actions then) {
		this.candidacies.withdraw(local);
		if (local.tenure != null && (local.open || local.confirming != null)) {
			release(local, local.tenure, then);
		}
		this.locals.forgetIfIdle(local);
	}

	// Having the lock

	/**
	 * Goes on after a section: with the next waiter, or in Redis.
	 */
	void ended(HeldLock section) {
		Tenure tenure = section.tenure;
		this.locals.decide((then) -> {
			LocalLock local = this.locals.find(tenure.key);
			if (local == null || local.tenure != tenure) {
				then.add(() -> this.releases.release(tenure, section));
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
		this.locals.decide((then) -> {
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
	void release(LocalLock local, Tenure tenure, Actions then) {
		HeldLock section = local.open ? null : tenure.section();
		local.tenure = null;
		local.open = false;
		this.confirmations.forget(local);
		if (local.waiters.isEmpty()) {
			abandon(local, then);
		}
		if (local.waiters.isEmpty() || local.candidacy != null) {
			then.add(() -> this.releases.release(tenure, section));
			return;
		}
		Candidacy following = this.candidacies.follow(local);
		Duration lease = local.waiters.getFirst().settings.leaseTime();
		then.add(() -> this.releases.release(tenure, section, local, following, lease));
	}

	/**
	 * Gives up a tenure in whose place there is another one.
	 */
	void drop(Tenure tenure) {
		this.releases.release(tenure, null);
	}

	/**
	 * An operator has released a lock of this instance in which nobody may be at work
	 * yet.
	 */
	void takenAway(String handle, RedisLockKey key) {
		this.locals.decide((then) -> {
			LocalLock local = this.locals.find(key);
			Tenure tenure = (local != null) ? local.tenure : null;
			if (tenure != null && tenure.handle.equals(handle)) {
				then.add(tenure::takenAway);
			}
		});
	}

	/**
	 * Goes on without a tenure that is lost.
	 */
	void lost(Tenure tenure) {
		this.locals.decide((then) -> {
			LocalLock local = this.locals.find(tenure.key);
			if (local != null && local.tenure == tenure) {
				if (local.open || local.confirming != null) {
					this.candidacies.forget(tenure.handle);
				}
				local.tenure = null;
				local.open = false;
				this.confirmations.forget(local);
				if (!local.waiters.isEmpty() && local.candidacy == null) {
					this.candidacies.applyAgain(local, then);
				}
				this.locals.forgetIfIdle(local);
			}
			else if (tenure.section() == null) {
				// Another one has taken its place before anybody was let in
				this.candidacies.forget(tenure.handle);
			}
		});
	}

	/**
	 * Ends all waiting; from now on nobody waits.
	 */
	void close() {
		this.locals.decide((then) -> {
			this.closed = true;
			for (LocalLock local : this.locals.all()) {
				for (LockAttempt attempt : List.copyOf(local.waiters)) {
					refuse(local, attempt, then);
				}
				abandon(local, then);
			}
		});
	}

	boolean isClosed() {
		return this.closed;
	}

	void open() {
		this.locals.decide((then) -> this.closed = false);
	}

}
