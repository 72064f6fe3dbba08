/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * The same rules, counted by this instance alone while Redis is away: each limit divided
 * by the last known number of instances. Forgets the entity that was silent longest when
 * there are more than {@value #CAPACITY}.
 */
final class LocalRateLimiter {

	static final int CAPACITY = 10_000;

	private final IntSupplier instances;

	private final LongSupplier nanoTime;

	private final Lock lock = new ReentrantLock();

	private final Map<Demand, State> states = new LinkedHashMap<>(64, 0.75f, true) {

		private static final long serialVersionUID = 1L;

		@Override
		protected boolean removeEldestEntry(Map.Entry<Demand, State> eldest) {
			return size() > CAPACITY;
		}

	};

	LocalRateLimiter(IntSupplier instances, LongSupplier nanoTime) {
		this.instances = instances;
		this.nanoTime = nanoTime;
	}

	RateLimitDecision decide(List<Demand> demands) {
		int share = Math.max(1, this.instances.getAsInt());
		this.lock.lock();
		try {
			return decide(demands, share, this.nanoTime.getAsLong());
		}
		finally {
			this.lock.unlock();
		}
	}

	private RateLimitDecision decide(List<Demand> demands, int share, long now) {
		List<State> involved = new ArrayList<>(demands.size());
		List<Quota> quotas = new ArrayList<>(demands.size());
		List<String> violated = new ArrayList<>(0);
		long longestWait = 0;
		for (Demand demand : demands) {
			RateLimit limit = demand.limit().dividedBy(share);
			State state = this.states.computeIfAbsent(demand, (key) -> new State());
			long wait = state.waitFor(limit, now);
			if (wait > 0) {
				violated.add(limit.name());
				longestWait = Math.max(longestWait, wait);
			}
			involved.add(state);
			quotas.add(new Quota(limit, Math.max(0, state.left(limit, now) - 1), Duration.ofNanos(wait)));
		}
		if (!violated.isEmpty()) {
			return new RateLimitDecision.Denied(quotas, violated, Duration.ofNanos(longestWait));
		}
		for (int i = 0; i < involved.size(); i++) {
			involved.get(i).admit(quotas.get(i).limit(), now);
		}
		return new RateLimitDecision.Allowed(quotas, () -> 0);
	}

	/**
	 * The admissions of one entity that still count. Also a token bucket is counted as a
	 * window here: a share of a burst is no promise.
	 */
	private static final class State {

		/** Of a window: when calls were admitted. */
		private final Deque<Long> admissions = new ArrayDeque<>();

		/** Of a bucket: the time it needed to be full again, as of {@link #countedAt}. */
		private long missing;

		private long countedAt;

		long waitFor(RateLimit limit, long now) {
			if (limit.algorithm() == RateLimitAlgorithm.TOKEN_BUCKET) {
				return Math.max(0, missing(now) + interval(limit) - capacity(limit));
			}
			long window = limit.window().toNanos();
			while (!this.admissions.isEmpty() && now - this.admissions.peekFirst() >= window) {
				this.admissions.removeFirst();
			}
			return (this.admissions.size() < limit.limit()) ? 0 : window - (now - this.admissions.peekFirst());
		}

		long left(RateLimit limit, long now) {
			if (limit.algorithm() == RateLimitAlgorithm.TOKEN_BUCKET) {
				return (capacity(limit) - missing(now)) / interval(limit);
			}
			return limit.limit() - this.admissions.size();
		}

		void admit(RateLimit limit, long now) {
			if (limit.algorithm() == RateLimitAlgorithm.TOKEN_BUCKET) {
				this.missing = missing(now) + interval(limit);
				this.countedAt = now;
			}
			else {
				this.admissions.addLast(now);
			}
		}

		private long missing(long now) {
			return Math.max(0, this.missing - (now - this.countedAt));
		}

		private static long interval(RateLimit limit) {
			return Math.max(1, -Math.floorDiv(-limit.window().toNanos(), limit.limit()));
		}

		private static long capacity(RateLimit limit) {
			long interval = interval(limit);
			return (limit.burst() > Long.MAX_VALUE / 2 / interval) ? Long.MAX_VALUE / 2 : limit.burst() * interval;
		}

	}

}
