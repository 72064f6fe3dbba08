// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.Waiting;

/**
 * The callers of this instance that want a lock, in order, and which of them has it.
 * <p>
 * Invariant: at most one caller of a lock is inside a lease. The first section of each
 * awaited lease is the first waiter's. While a caller waits, the instance has the lock or
 * waits for it in Redis: see {@link QueuedWaiters}. For a lock that several may hold each
 * caller has a queue of its own, with a lease of one section.
 * <p>
 * When a section ends and others wait, the lock is open for
 * {@link LockLease#LONGEST_NANOS}. The first waiter is woken on the thread of the timers.
 * Callers that come meanwhile and are running already go first, since waking a thread
 * takes longer than most sections.
 * <p>
 * While replicas confirm a lease before its first section, its caller stays the first
 * waiter. If that caller gives up, the next waiter uses the same confirmation. If no
 * waiter is left, the application is closed or the lease is lost, that is settled at
 * once. The answer then finds another state and changes nothing.
 */
final class LockQueues {

	private final LocalLocks locals;

	private final LockLeases leases;

	private final LockTimers timers;

	private final QueuedWaiters queued;

	private volatile boolean closed;

	LockQueues(LocalLocks locals, LockTimers timers, GuardEvents events, GuardedCalls calls) {
		this.locals = locals;
		this.timers = timers;
		this.leases = new LockLeases(events, calls, timers, this);
		this.queued = new QueuedWaiters(locals, this, this.leases, timers);
	}

	LockLeases leases() {
		return this.leases;
	}

	QueuedWaiters queued() {
		return this.queued;
	}

	/**
	 * Lets a caller in if the lock is open here, else adds it at the end.
	 */
	void join(LockRequest request, RedisLocks redis) {
		this.locals.decide((then) -> {
			if (this.closed) {
				then.add(() -> request.completeExceptionally(redis.closed()));
				return;
			}
			LocalLock local = this.locals.obtain(request, redis);
			if (local.open && local.lease != null && local.lease.canServe(request.settings)) {
				letIn(local, local.lease, request, then);
				return;
			}
			this.locals.addLast(local, request);
			request.onCancel = () -> leave(local, request);
			if (local.lease == null && local.queued == null) {
				// Gets an answer within its budget, and most often the lock
				this.queued.apply(local, request.budget, then);
			}
			else {
				waitUntilTimeout(local, request);
			}
		});
	}

	void askOnce(LockRequest request, RedisLocks redis) {
		this.locals.begin();
		try {
			if (this.closed) {
				request.completeExceptionally(redis.closed());
				return;
			}
			String handle = redis.newHandle();
			long sent = System.nanoTime();
			this.locals.track(redis.acquire(request.key, handle, request.settings, false, request.budget)
				.whenComplete((answer, failure) -> {
					if (failure != null) {
						request.completeExceptionally(Waiting.cause(failure));
					}
					else if (answer.tokens() == null) {
						request.freeAt = answer.freeAt();
						request.refuse();
					}
					else {
						hold(request, redis, handle, answer.tokens(), sent);
					}
				}));
		}
		finally {
			this.locals.end();
		}
	}

	/**
	 * Lets in a caller that has not waited and got the lock by its own handle.
	 */
	private void hold(LockRequest request, RedisLocks redis, String handle, LockAnswer.TokenRange tokens, long since) {
		this.locals.decide((then) -> {
			LocalLock local = this.locals.obtain(request, redis);
			LockLease lease = new LockLease(this.leases, redis, request.key, handle, tokens, request.settings, since,
					request.settings.leaseTime());
			if (this.closed) {
				this.locals.forgetIfIdle(local);
				then.add(() -> this.queued.release(lease, null));
				then.add(request::refuse);
				return;
			}
			this.locals.remember(handle, local);
			endConfirming(local);
			if (request.settings.replicas() == 0) {
				local.lease = lease;
				lease.schedule();
				letIn(local, lease, request, then);
				return;
			}
			this.locals.addFirst(local, request);
			request.onCancel = () -> leave(local, request);
			begin(local, lease, then);
		});
	}

	// While deciding, as all that takes what follows
	void begin(LocalLock local, LockLease lease, List<Runnable> then) {
		local.lease = lease;
		lease.schedule();
		LockRequest first = local.waiters.getFirst();
		if (first.settings.replicas() == 0) {
			letFirstIn(local, lease, then);
			return;
		}
		local.open = false;
		local.confirming = first;
		then.add(() -> confirm(local, lease, first));
	}

	private void letIn(LocalLock local, LockLease lease, LockRequest request, List<Runnable> then) {
		local.open = false;
		HeldLock section = lease.enter(request.settings, request.budget);
		then.add(() -> {
			lease.publishIfLost(section);
			if (!request.complete(new LockDecision.Acquired(section))) {
				section.releaseUnused();
			}
		});
	}

	private void letFirstIn(LocalLock local, LockLease lease, List<Runnable> then) {
		LockRequest first = local.waiters.getFirst();
		this.locals.remove(local, first);
		letIn(local, lease, first, then);
	}

	// Confirming

	private void confirm(LocalLock local, LockLease lease, LockRequest first) {
		long sent = System.nanoTime();
		LeaseRenewal renewal = lease.renewal(sent);
		lease.redis.confirm(renewal, first.settings).whenComplete((done, failure) -> {
			if (failure != null) {
				this.timers.run(() -> failed(local, lease, first, Waiting.cause(failure)));
				return;
			}
			lease.renewed(sent, renewal.lease(), true);
			confirmed(local, lease, first);
		});
	}

	private void confirmed(LocalLock local, LockLease lease, LockRequest first) {
		this.locals.decide((then) -> {
			if (isAwaited(local, lease, then)) {
				local.confirming = null;
				lease.confirmed(first.settings.replicas());
				LockRequest next = local.waiters.peekFirst();
				if (next != null && (next == first || lease.canServe(next.settings))) {
					letFirstIn(local, lease, then);
				}
				else {
					release(local, lease, then);
				}
			}
		});
	}

	/**
	 * Releases a lock that too few replicas have confirmed. Waiters of this instance with
	 * the same request fail together: trying for one after the other would cost each of
	 * them the timeouts of the earlier ones.
	 */
	private void failed(LocalLock local, LockLease lease, LockRequest first, Throwable failure) {
		this.locals.decide((then) -> {
			if (isAwaited(local, lease, then)) {
				List<Runnable> failures = new ArrayList<>();
				for (LockRequest request : List.copyOf(local.waiters)) {
					if (request.settings.isAsDurableAs(first.settings)) {
						this.locals.fail(local, request, failure, failures);
					}
				}
				release(local, lease, then);
				then.addAll(failures);
			}
		});
	}

	private boolean isAwaited(LocalLock local, LockLease lease, List<Runnable> then) {
		if (local.lease == lease && local.confirming != null) {
			return true;
		}
		if (local.lease != lease && lease.isValid()) {
			// A caller that did not wait has the lock, so Redis had lost it meanwhile
			then.add(() -> this.queued.release(lease, null));
		}
		return false;
	}

	/**
	 * Lets the caller whose lock is being confirmed wait like others.
	 */
	private void endConfirming(LocalLock local) {
		LockRequest former = local.confirming;
		local.confirming = null;
		if (former != null && !former.left) {
			waitUntilTimeout(local, former);
		}
	}

	// Giving up

	// While deciding
	void waitUntilTimeout(LocalLock local, LockRequest request) {
		if (request.timeout == null) {
			request.timeout = this.timers.schedule(() -> expire(local, request), request.waitLeftNanos());
		}
	}

	private void expire(LocalLock local, LockRequest request) {
		this.locals.decide((then) -> {
			if (request.left) {
				return;
			}
			// A question under way is bounded by its budget, and its answer must be known
			if (local.confirming == request
					|| (local.queued != null && local.queued.asking && local.waiters.peekFirst() == request)) {
				request.timeout = null; // bounded by what is under way for it
				return;
			}
			this.locals.refuse(local, request, then);
			abandonIfUnwanted(local, then);
		});
	}

	private void leave(LocalLock local, LockRequest request) {
		this.locals.decide((then) -> {
			if (!request.left) {
				this.locals.remove(local, request);
				abandonIfUnwanted(local, then);
			}
		});
	}

	private void abandonIfUnwanted(LocalLock local, List<Runnable> then) {
		if (local.waiters.isEmpty()) {
			abandon(local, then);
		}
	}

	// While deciding
	void abandon(LocalLock local, List<Runnable> then) {
		this.queued.withdraw(local);
		if (local.lease != null && (local.open || local.confirming != null)) {
			release(local, local.lease, then);
		}
		this.locals.forgetIfIdle(local);
	}

	// Having the lock

	/**
	 * Hands the lock on after a section: to the next waiter, or in Redis.
	 */
	void ended(HeldLock section) {
		LockLease lease = section.lease;
		this.locals.decide((then) -> {
			LocalLock local = this.locals.find(lease.handle);
			if (local == null || local.lease != lease) {
				then.add(() -> this.queued.release(lease, section));
				return;
			}
			LockRequest first = local.waiters.peekFirst();
			if (first != null && lease.canServe(first.settings) && section.keep().isZero()) {
				local.open = true;
				if (!local.serving) {
					local.serving = true;
					then.add(() -> this.timers.run(() -> serve(local)));
				}
				then.add(() -> this.leases.released(section, true));
				return;
			}
			release(local, lease, then);
		});
	}

	private void serve(LocalLock local) {
		this.locals.decide((then) -> {
			local.serving = false;
			LockLease lease = local.lease;
			if (lease == null || !local.open) {
				return;
			}
			LockRequest first = local.waiters.peekFirst();
			if (first != null && lease.canServe(first.settings)) {
				letFirstIn(local, lease, then);
			}
			else {
				release(local, lease, then);
			}
		});
	}

	/**
	 * Releases the lock in Redis; waiters of this instance keep waiting.
	 */
	private void release(LocalLock local, LockLease lease, List<Runnable> then) {
		HeldLock section = local.open ? null : lease.section();
		end(local);
		abandonIfUnwanted(local, then);
		if (local.waiters.isEmpty() || local.queued != null) {
			then.add(() -> this.queued.release(lease, section));
			return;
		}
		this.queued.releaseAndFollow(local, lease, section, then);
	}

	private void end(LocalLock local) {
		local.lease = null;
		local.open = false;
		endConfirming(local);
	}

	/**
	 * Settles that an operator has released a lock of this instance, which may be without
	 * a section yet.
	 */
	void takenAway(String handle) {
		this.locals.decide((then) -> {
			LocalLock local = this.locals.find(handle);
			LockLease lease = (local != null) ? local.lease : null;
			if (lease != null && lease.handle.equals(handle)) {
				then.add(lease::takenAway);
			}
		});
	}

	void lost(LockLease lease) {
		this.locals.decide((then) -> {
			LocalLock local = this.locals.find(lease.handle);
			if (local != null && local.lease == lease) {
				if (local.open || local.confirming != null) {
					this.locals.forget(lease.handle);
				}
				end(local);
				if (!local.waiters.isEmpty() && local.queued == null) {
					this.queued.applyAgain(local, then);
				}
				this.locals.forgetIfIdle(local);
			}
			else if (lease.section() == null) {
				// Another one has taken its place before the first section
				this.locals.forget(lease.handle);
			}
		});
	}

	// Closing

	void close() {
		this.locals.decide((then) -> {
			this.closed = true;
			for (LocalLock local : this.locals.all()) {
				for (LockRequest request : List.copyOf(local.waiters)) {
					this.locals.refuse(local, request, then);
				}
				abandon(local, then);
			}
		});
	}

	void open() {
		this.locals.decide((then) -> this.closed = false);
	}

}
