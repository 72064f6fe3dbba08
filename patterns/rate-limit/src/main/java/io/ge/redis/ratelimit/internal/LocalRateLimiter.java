// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitEvent.Source;

/**
 * The same rules, counted by this instance alone while Redis is unavailable: each limit
 * divided by the last known number of instances. A cost above that share is refused.
 * Forgets the key that was silent longest when there are more than {@value #CAPACITY}.
 */
final class LocalRateLimiter {

	static final int CAPACITY = 10_000;

	private final IntSupplier instances;

	private final LongSupplier nanoTime;

	private final long origin;

	private final Lock lock = new ReentrantLock();

	private final Map<String, LocalState> states = new LinkedHashMap<>(64, 0.75f, true) {

		private static final long serialVersionUID = 1L;

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, LocalState> eldest) {
			return size() > CAPACITY;
		}

	};

	public LocalRateLimiter(IntSupplier instances, LongSupplier nanoTime) {
		this.instances = instances;
		this.nanoTime = nanoTime;
		this.origin = nanoTime.getAsLong();
	}

	EngineDecision decide(List<PermitRequest> requests) {
		int share = Math.max(1, this.instances.getAsInt());
		this.lock.lock();
		try {
			long now = now();
			List<Check> checks = new ArrayList<>(requests.size());
			for (PermitRequest request : requests) {
				checks.add(
						check(new PermitRequest(request.limit().dividedBy(share), request.key(), request.cost()), now));
			}
			boolean denied = checks.stream().anyMatch(Check::denies);
			long at = now;
			for (Check check : checks) {
				at = check.request().limit().shadow() ? at : Math.max(at, check.earliest());
			}
			List<Runnable> refunds = new ArrayList<>(checks.size());
			EngineDecision.Limits limits = new EngineDecision.Limits(Source.LOCAL, !denied, checks.size());
			for (Check check : checks) {
				if (!denied && check.request().cost() > 0 && check.refusal() == 0) {
					refunds.add(check.charge(Math.max(at, check.earliest()), this::now));
				}
				check.addTo(limits, now);
			}
			return denied ? limits.denied()
					: limits.allowed(new TakenPermits(requests, () -> refund(refunds)), at - now);
		}
		finally {
			this.lock.unlock();
		}
	}

	private Check check(PermitRequest request, long now) {
		RateLimit limit = request.limit();
		LocalState state = this.states.computeIfAbsent(request.key().text(), (name) -> new LocalState());
		if (request.cost() == 0) {
			return new Check(request, state, now, 0);
		}
		long earliest = state.earliest(limit, request.cost(), now);
		boolean everPasses = request.cost() <= limit.largestCost();
		long wait = everPasses ? limit.waitTime().toNanos() : 0;
		return new Check(request, state, earliest, Math.max(0, earliest - now - wait));
	}

	private void refund(List<Runnable> refunds) {
		this.lock.lock();
		try {
			refunds.forEach(Runnable::run);
		}
		finally {
			this.lock.unlock();
		}
	}

	void forget(String name) {
		this.lock.lock();
		try {
			this.states.remove(name);
		}
		finally {
			this.lock.unlock();
		}
	}

	private long now() {
		return this.nanoTime.getAsLong() - this.origin;
	}

	/**
	 * The time at which a request can be admitted, and the wait time that the call lacks.
	 */
	private record Check(PermitRequest request, LocalState state, long earliest, long refusal) {

		boolean denies() {
			return this.refusal > 0 && !this.request.limit().shadow();
		}

		void addTo(EngineDecision.Limits limits, long now) {
			RateLimit limit = this.request.limit();
			limits.add(this.request, this.state.left(limit, now), this.state.restoredAt(limit, now) - now,
					this.refusal);
		}

		Runnable charge(long at, LongSupplier now) {
			RateLimit limit = this.request.limit();
			long stamp = this.state.charge(limit, this.request.cost(), at);
			return () -> this.state.refund(limit, this.request.cost(), stamp, now.getAsLong());
		}

	}

}
