/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.ge.redis.lock.ShareAttempt.State;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this instance that want or have shares of locks, by handle, and the
 * guard of their state.
 * <p>
 * Invariant: everything is decided under one lock and done outside it, so nobody is
 * called, and nothing waited for, while it is held.
 */
final class ShareAttempts {

	private final Map<String, ShareAttempt> attempts = new HashMap<>();

	private final Lock lock = new ReentrantLock();

	private final UnderWay underWay;

	private int waiting;

	ShareAttempts(UnderWay underWay) {
		this.underWay = underWay;
	}

	/**
	 * Decides under the lock what is done outside it.
	 * @param decision takes what is to be done
	 */
	void decide(Consumer<Actions> decision) {
		this.underWay.begin();
		try {
			Actions then = new Actions();
			this.lock.lock();
			try {
				decision.accept(then);
			}
			finally {
				this.lock.unlock();
			}
			then.run();
		}
		finally {
			this.underWay.end();
		}
	}

	int waiting() {
		this.lock.lock();
		try {
			return this.waiting;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Returns how many callers of this instance wait for which lock.
	 */
	List<LockReport.Queue> waiters() {
		Map<RedisLockKey, LockReport.Queue> queues = new HashMap<>();
		this.lock.lock();
		try {
			for (ShareAttempt attempt : this.attempts.values()) {
				if (attempt.state == State.WAITING && attempt.waits()) {
					queues.merge(attempt.key, new LockReport.Queue(attempt.settings.name(), attempt.key, 1),
							(queue, one) -> new LockReport.Queue(queue.name(), queue.lock(), queue.waiters() + 1));
				}
			}
		}
		finally {
			this.lock.unlock();
		}
		return List.copyOf(queues.values());
	}

	// While deciding

	/**
	 * Takes in a caller that waits.
	 */
	void enter(ShareAttempt attempt) {
		this.attempts.put(attempt.handle, attempt);
		if (attempt.waits()) {
			this.waiting++;
		}
	}

	/**
	 * Lets a caller wait no longer.
	 * @param to what becomes of it
	 */
	void depart(ShareAttempt attempt, State to) {
		attempt.state = to;
		if (to != State.HELD) {
			this.attempts.remove(attempt.handle);
		}
		if (attempt.waits()) {
			this.waiting--;
		}
		LockEngine.cancel(attempt.timeout);
		LockEngine.cancel(attempt.backstop);
	}

	/**
	 * Forgets a caller that has had its share.
	 */
	void forget(ShareAttempt attempt) {
		attempt.state = State.OVER;
		this.attempts.remove(attempt.handle);
	}

	@Nullable ShareAttempt find(String handle) {
		return this.attempts.get(handle);
	}

	List<ShareAttempt> all() {
		return List.copyOf(this.attempts.values());
	}

}
