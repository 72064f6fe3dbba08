// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The locks that callers of this instance have or want, and the guard of their state.
 * <p>
 * Invariant: everything is decided under one lock and done outside it. Commands are sent
 * and requests completed after it is released, so no caller is called, and nothing is
 * waited for, while it is held. The one exception is leaving the queue in Redis, which
 * must be sent before the instance asks for the same lock again. An entry exists exactly
 * while a caller has the lock or wants it.
 */
final class LocalLocks {

	private final Map<RedisLockKey, LocalLock> exclusive = new HashMap<>();

	private final Set<LocalLock> shared = new HashSet<>();

	/**
	 * The handles under which this instance waits for locks or has them, until Redis has
	 * answered their release. Whatever is granted to another handle is handed on.
	 */
	private final Map<String, LocalLock> handles = new ConcurrentHashMap<>();

	private final Lock lock = new ReentrantLock();

	private final AtomicInteger pending = new AtomicInteger();

	private volatile @Nullable CompletableFuture<Void> awaited;

	private volatile int waiting;

	/**
	 * Decides under the lock, and runs the resulting actions outside it.
	 */
	void decide(Consumer<List<Runnable>> decision) {
		begin();
		try {
			List<Runnable> then = new ArrayList<>(2);
			this.lock.lock();
			try {
				decision.accept(then);
			}
			finally {
				this.lock.unlock();
			}
			then.forEach(Runnable::run);
		}
		finally {
			end();
		}
	}

	/**
	 * Counts a command as pending, since its answer may lead to others, until that was
	 * dealt with.
	 */
	void track(CompletionStage<?> command) {
		begin();
		command.whenComplete((answer, failure) -> end());
	}

	/**
	 * Counts something as pending until {@link #end}. A decision is counted before it
	 * checks whether the application is being closed, so that {@link #settled} misses
	 * nothing.
	 */
	void begin() {
		this.pending.incrementAndGet();
	}

	void end() {
		if (this.pending.decrementAndGet() == 0) {
			CompletableFuture<Void> waiting = this.awaited;
			if (waiting != null) {
				waiting.complete(null);
			}
		}
	}

	CompletableFuture<Void> settled() {
		CompletableFuture<Void> settled = new CompletableFuture<>();
		this.awaited = settled;
		if (this.pending.get() == 0) {
			settled.complete(null);
		}
		return settled;
	}

	int waiting() {
		return this.waiting;
	}

	Map<RedisLockKey, LockReport.Waiters> waiters() {
		Map<RedisLockKey, LockReport.Waiters> waiters = new HashMap<>();
		decide((then) -> {
			for (LocalLock local : all()) {
				LockRequest first = local.waiters.peekFirst();
				if (first != null) {
					waiters.merge(local.key,
							new LockReport.Waiters(first.settings.name(), local.key.text(), local.waiters.size()),
							LockReport.Waiters::with);
				}
			}
		});
		return waiters;
	}

	/**
	 * Forgets a handle whose release Redis has answered, or that never had the lock.
	 */
	void forget(String handle) {
		this.handles.remove(handle);
	}

	// While deciding

	/**
	 * Returns the entry for a request: a new one if there is none, or if others may have
	 * the lock as well.
	 */
	LocalLock obtain(LockRequest request, RedisLocks redis) {
		if (request.settings.isShared()) {
			LocalLock local = new LocalLock(request.key, redis);
			this.shared.add(local);
			return local;
		}
		return this.exclusive.computeIfAbsent(request.key, (key) -> new LocalLock(key, redis));
	}

	/**
	 * Finds an exclusive lock.
	 */
	@Nullable LocalLock find(RedisLockKey key) {
		return this.exclusive.get(key);
	}

	@Nullable LocalLock find(String handle) {
		return this.handles.get(handle);
	}

	// Before Redis learns of the handle, which may be granted at once
	void remember(String handle, LocalLock local) {
		this.handles.put(handle, local);
	}

	List<LocalLock> all() {
		List<LocalLock> all = new ArrayList<>(this.exclusive.values());
		all.addAll(this.shared);
		return all;
	}

	void forgetIfIdle(LocalLock local) {
		if (local.isIdle()) {
			this.exclusive.remove(local.key, local);
			this.shared.remove(local);
		}
	}

	void addFirst(LocalLock local, LockRequest request) {
		local.waiters.addFirst(request);
		this.waiting++;
	}

	void addLast(LocalLock local, LockRequest request) {
		local.waiters.addLast(request);
		this.waiting++;
	}

	void remove(LocalLock local, LockRequest request) {
		local.waiters.remove(request);
		request.left = true;
		this.waiting--;
		LockTimers.cancel(request.timeout);
	}

	void refuse(LocalLock local, LockRequest request, List<Runnable> then) {
		remove(local, request);
		request.freeAt = local.freeAt();
		then.add(request::refuse);
	}

	void fail(LocalLock local, LockRequest request, Throwable failure, List<Runnable> then) {
		remove(local, request);
		then.add(() -> request.completeExceptionally(failure));
	}

}
