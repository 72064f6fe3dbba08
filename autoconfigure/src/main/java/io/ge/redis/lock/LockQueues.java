/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The calls of this instance that wait for a lock, in order, for each lock.
 * <p>
 * Only the first of a queue asks Redis: at first, when a lock is offered to this
 * instance, when messages may have been lost, and otherwise once a second or when the
 * lease of the present owner ends. At most one question per queue is under way; an offer
 * that comes meanwhile makes it ask again, since the answer may be older than the offer.
 * Everything is decided under one lock and done outside it: questions are sent and
 * attempts completed after it is given back. The one exception is leaving the queue in
 * Redis, which must be sent before the next attempt on the same lock can join.
 */
final class LockQueues {

	private static final long BACKSTOP_MILLIS = 1000;

	private static final long JITTER_MILLIS = 50;

	/** Lets a key that ends with a millisecond be gone when it is asked for. */
	private static final long EXPIRY_MILLIS = 2;

	private final Map<RedisLockKey, Deque<LockAttempt>> queues = new HashMap<>();

	private final Lock lock = new ReentrantLock();

	private final AtomicInteger waiting = new AtomicInteger();

	private final LockEngine engine;

	private final Consumer<LockAttempt> ask;

	private boolean closed;

	/**
	 * Creates the queues.
	 * @param engine schedules and leaves
	 * @param ask sends one question, and tells its answer to this
	 */
	LockQueues(LockEngine engine, Consumer<LockAttempt> ask) {
		this.engine = engine;
		this.ask = ask;
	}

	int waiting() {
		return this.waiting.get();
	}

	/**
	 * Adds an attempt at the end of its queue.
	 */
	void join(LockAttempt attempt) {
		attempt.queues = this;
		boolean first;
		this.lock.lock();
		try {
			if (this.closed) {
				attempt.left = true;
				first = false;
			}
			else {
				Deque<LockAttempt> queue = this.queues.computeIfAbsent(attempt.key, (key) -> new ArrayDeque<>(1));
				queue.addLast(attempt);
				this.waiting.incrementAndGet();
				first = queue.peekFirst() == attempt;
				attempt.asking = first;
				// The first gets an answer within its budget, and most often the lock
				if (!first) {
					waitUntilTimeout(attempt);
				}
			}
		}
		finally {
			this.lock.unlock();
		}
		if (first) {
			this.ask.accept(attempt);
		}
		else if (attempt.left) {
			attempt.complete(attempt.refused());
		}
	}

	/**
	 * Takes an attempt out of its queue, since it holds the lock or has ended otherwise,
	 * and lets the next one ask.
	 * @param holds whether it holds the lock, so that the instance has left the queue in
	 * Redis
	 */
	void leave(LockAttempt attempt, boolean holds) {
		LockAttempt next = null;
		this.lock.lock();
		try {
			if (!attempt.left) {
				next = remove(attempt, holds);
			}
		}
		finally {
			this.lock.unlock();
		}
		if (next != null) {
			this.ask.accept(next);
		}
	}

	/**
	 * Ends the waiting of all who stand behind an attempt to which Redis gave no answer:
	 * asking for one after the other would cost each of them the budgets of those before.
	 */
	void fail(LockAttempt attempt, Throwable failure) {
		List<LockAttempt> all = new ArrayList<>();
		this.lock.lock();
		try {
			Deque<LockAttempt> queue = attempt.left ? null : this.queues.get(attempt.key);
			if (queue != null) {
				all.addAll(queue);
				all.forEach(this::removeUnasked);
			}
		}
		finally {
			this.lock.unlock();
		}
		all.forEach((waiting) -> waiting.completeExceptionally(failure));
	}

	private void removeUnasked(LockAttempt attempt) {
		LockAttempt next = remove(attempt, false);
		if (next != null) {
			next.asking = false;
		}
	}

	private @Nullable LockAttempt remove(LockAttempt attempt, boolean holds) {
		attempt.left = true;
		this.waiting.decrementAndGet();
		cancel(attempt.backstop);
		cancel(attempt.timeout);
		Deque<LockAttempt> queue = this.queues.get(attempt.key);
		if (queue == null) {
			return null;
		}
		boolean wasFirst = queue.peekFirst() == attempt;
		queue.remove(attempt);
		if (queue.isEmpty()) {
			this.queues.remove(attempt.key);
			if (!holds) {
				this.engine.redis().leave(attempt.key);
			}
			return null;
		}
		return wasFirst ? begin(queue.getFirst()) : null;
	}

	private static @Nullable LockAttempt begin(LockAttempt attempt) {
		if (attempt.asking) {
			attempt.askAgain = true;
			return null;
		}
		cancel(attempt.backstop);
		attempt.asking = true;
		return attempt;
	}

	/**
	 * Takes the answer that the lock is taken.
	 */
	void busy(LockAttempt attempt, long leaseMillis) {
		boolean again = false;
		boolean over = false;
		LockAttempt next = null;
		this.lock.lock();
		try {
			if (attempt.left) {
				return;
			}
			attempt.asking = false;
			attempt.busyFor(leaseMillis);
			if (attempt.isOverdue()) {
				over = true;
				next = remove(attempt, false);
			}
			else if (attempt.askAgain) {
				attempt.askAgain = false;
				attempt.asking = true;
				again = true;
			}
			else {
				waitUntilTimeout(attempt);
				attempt.backstop = this.engine.schedule(() -> retry(attempt), backstopNanos(leaseMillis));
			}
		}
		finally {
			this.lock.unlock();
		}
		if (again) {
			this.ask.accept(attempt);
		}
		if (over) {
			attempt.complete(attempt.refused());
		}
		if (next != null) {
			this.ask.accept(next);
		}
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

	private void retry(LockAttempt attempt) {
		boolean due = false;
		this.lock.lock();
		try {
			if (!attempt.left && !attempt.asking) {
				attempt.asking = true;
				due = true;
			}
		}
		finally {
			this.lock.unlock();
		}
		if (due) {
			this.ask.accept(attempt);
		}
	}

	private void expire(LockAttempt attempt) {
		LockAttempt next = null;
		boolean over = false;
		this.lock.lock();
		try {
			// A question under way is bounded by its budget, and its answer must be known
			if (!attempt.left && !attempt.asking) {
				over = true;
				next = remove(attempt, false);
			}
		}
		finally {
			this.lock.unlock();
		}
		if (over) {
			attempt.complete(attempt.refused());
		}
		if (next != null) {
			this.ask.accept(next);
		}
	}

	/**
	 * Lets the first attempt on a lock ask.
	 * @return whether there is one
	 */
	boolean offer(RedisLockKey key) {
		LockAttempt first;
		this.lock.lock();
		try {
			Deque<LockAttempt> queue = this.queues.get(key);
			if (queue == null) {
				return false;
			}
			first = begin(queue.getFirst());
		}
		finally {
			this.lock.unlock();
		}
		if (first != null) {
			this.ask.accept(first);
		}
		return true;
	}

	/**
	 * Lets the first attempt on each lock ask, since offers may have been lost.
	 */
	void offerAll() {
		Collection<RedisLockKey> keys;
		this.lock.lock();
		try {
			keys = new ArrayList<>(this.queues.keySet());
		}
		finally {
			this.lock.unlock();
		}
		keys.forEach(this::offer);
	}

	/**
	 * Ends all waiting; from now on nobody waits.
	 */
	void close() {
		List<LockAttempt> all = new ArrayList<>();
		this.lock.lock();
		try {
			this.closed = true;
			this.queues.values().forEach(all::addAll);
			all.forEach(this::removeUnasked);
		}
		finally {
			this.lock.unlock();
		}
		all.forEach((attempt) -> attempt.complete(attempt.refused()));
	}

	void open() {
		this.lock.lock();
		try {
			this.closed = false;
		}
		finally {
			this.lock.unlock();
		}
	}

	private static void cancel(@Nullable Future<?> timer) {
		if (timer != null) {
			timer.cancel(false);
		}
	}

}
