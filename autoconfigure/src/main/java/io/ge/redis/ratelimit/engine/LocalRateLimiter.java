/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitEvent.Source;

/**
 * The same rules, counted by this instance alone while Redis is away: each limit divided
 * by the last known number of instances. A cost above that share is refused. Forgets the
 * key that was silent longest when there are more than {@value #CAPACITY}.
 */
public final class LocalRateLimiter {

	static final int CAPACITY = 10_000;

	private final IntSupplier instances;

	private final LongSupplier nanoTime;

	private final Function<PermitRequest, String> names;

	private final long origin;

	private final Lock lock = new ReentrantLock();

	private final Map<String, LocalState> states = new LinkedHashMap<>(64, 0.75f, true) {

		private static final long serialVersionUID = 1L;

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, LocalState> eldest) {
			return size() > CAPACITY;
		}

	};

	/**
	 * Creates a limiter.
	 * @param instances how many instances there are
	 * @param nanoTime the time
	 * @param names tells states apart, as Redis does
	 */
	public LocalRateLimiter(IntSupplier instances, LongSupplier nanoTime, Function<PermitRequest, String> names) {
		this.instances = instances;
		this.nanoTime = nanoTime;
		this.names = names;
		this.origin = nanoTime.getAsLong();
	}

	EngineDecision decide(List<PermitRequest> requests) {
		int share = Math.max(1, this.instances.getAsInt());
		this.lock.lock();
		try {
			return new Decision(requests, share, now()).take();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Forgets what was counted of a limit.
	 * @param name the name of its state
	 */
	void forget(String name) {
		this.lock.lock();
		try {
			this.states.remove(name);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void giveBack(List<Charge> charges) {
		this.lock.lock();
		try {
			long now = now();
			for (Charge charge : charges) {
				charge.state.giveBack(charge.request.limit(), charge.request.cost(), charge.stamp, now);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private long now() {
		return this.nanoTime.getAsLong() - this.origin;
	}

	/**
	 * A state that was charged.
	 */
	private record Charge(LocalState state, PermitRequest request, long stamp) {
	}

	/**
	 * One decision on all requests of a call.
	 */
	private final class Decision {

		private final List<PermitRequest> requests;

		private final LocalState[] states;

		private final long[] earliest;

		private final long[] refusals;

		private final long now;

		private long at;

		private boolean allowed = true;

		Decision(List<PermitRequest> asked, int share, long now) {
			this.requests = new ArrayList<>(asked.size());
			this.states = new LocalState[asked.size()];
			this.earliest = new long[asked.size()];
			this.refusals = new long[asked.size()];
			this.now = now;
			this.at = now;
			for (int i = 0; i < asked.size(); i++) {
				PermitRequest whole = asked.get(i);
				PermitRequest request = new PermitRequest(whole.limit().dividedBy(share), whole.key(), whole.cost());
				this.requests.add(request);
				look(i, request);
			}
		}

		private void look(int index, PermitRequest request) {
			RateLimit limit = request.limit();
			LocalState state = LocalRateLimiter.this.states.computeIfAbsent(LocalRateLimiter.this.names.apply(request),
					(name) -> LocalState.of(limit.algorithm()));
			this.states[index] = state;
			this.earliest[index] = this.now;
			if (request.cost() == 0) {
				return;
			}
			this.earliest[index] = state.earliest(limit, request.cost(), this.now);
			boolean everPasses = request.cost() <= limit.largestCost();
			long wait = everPasses ? limit.waitTime().toNanos() : 0;
			this.refusals[index] = Math.max(0, this.earliest[index] - this.now - wait);
			if (limit.shadow()) {
				return;
			}
			this.allowed &= this.refusals[index] == 0;
			this.at = Math.max(this.at, this.earliest[index]);
		}

		EngineDecision take() {
			if (!this.allowed) {
				return EngineDecision.denied(limitStates(), Source.LOCAL);
			}
			List<Charge> charges = new ArrayList<>(this.states.length);
			for (int i = 0; i < this.states.length; i++) {
				PermitRequest request = this.requests.get(i);
				if (request.cost() > 0 && this.refusals[i] == 0) {
					long stamp = this.states[i].charge(request.limit(), request.cost(),
							Math.max(this.at, this.earliest[i]));
					charges.add(new Charge(this.states[i], request, stamp));
				}
			}
			TakenPermits permits = TakenPermits.of(this.requests, () -> giveBack(charges));
			return EngineDecision.allowed(limitStates(), Source.LOCAL, permits, this.at - this.now);
		}

		private List<LimitState> limitStates() {
			List<LimitState> limitStates = new ArrayList<>(this.states.length);
			for (int i = 0; i < this.states.length; i++) {
				PermitRequest request = this.requests.get(i);
				limitStates.add(new LimitState(request, this.states[i].left(request.limit(), this.now),
						this.states[i].restoredAt(request.limit(), this.now) - this.now, this.refusals[i]));
			}
			return limitStates;
		}

	}

}
