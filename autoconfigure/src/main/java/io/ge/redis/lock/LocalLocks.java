/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The locks that callers of this instance have or want, and the guard of their state.
 * <p>
 * Invariant: everything is decided under one lock and done outside it. Commands are sent
 * and attempts completed after it is given back, so nobody is called, and nothing waited
 * for, while it is held. The one exception is leaving the queue in Redis, which must be
 * sent before the next candidacy for the same lock. An entry exists exactly while
 * somebody has the lock or wants it.
 */
final class LocalLocks {

	private final Map<RedisLockKey, LocalLock> locals = new HashMap<>();

	private final Lock lock = new ReentrantLock();

	private final UnderWay underWay;

	LocalLocks(UnderWay underWay) {
		this.underWay = underWay;
	}

	/**
	 * Decides under the lock what is done outside it.
	 * @param decision takes what is to be done
	 */
	void decide(Consumer<Actions> decision) {
		this.underWay.begin();
		try {
			decideAndAct(decision);
		}
		finally {
			this.underWay.end();
		}
	}

	private void decideAndAct(Consumer<Actions> decision) {
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

	/**
	 * Returns how many callers of this instance wait for which lock.
	 */
	List<LockReport.Queue> waiters() {
		List<LockReport.Queue> all = new ArrayList<>();
		this.lock.lock();
		try {
			this.locals.forEach((key, local) -> {
				LockAttempt first = local.waiters.peekFirst();
				if (first != null) {
					all.add(new LockReport.Queue(first.settings.name(), key, local.waiters.size()));
				}
			});
		}
		finally {
			this.lock.unlock();
		}
		return all;
	}

	// While deciding

	/**
	 * Returns the entry of a lock, a new one if there is none.
	 */
	LocalLock obtain(RedisLockKey key) {
		return this.locals.computeIfAbsent(key, LocalLock::new);
	}

	@Nullable LocalLock find(RedisLockKey key) {
		return this.locals.get(key);
	}

	Collection<LocalLock> all() {
		return List.copyOf(this.locals.values());
	}

	void forgetIfIdle(LocalLock local) {
		if (local.isIdle()) {
			this.locals.remove(local.key, local);
		}
	}

}
