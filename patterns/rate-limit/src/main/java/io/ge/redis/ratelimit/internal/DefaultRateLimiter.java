// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.EventLoops;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimitInterruptedException;
import io.ge.redis.ratelimit.RateLimitRequest;
import io.ge.redis.ratelimit.RateLimiter;
import org.jspecify.annotations.Nullable;

/**
 * Asks the engine, waits for it where the caller does, and publishes its decision.
 * Publishes on the caller's thread, or on a thread of the application with the caller's
 * context.
 */
final class DefaultRateLimiter implements RateLimiter {

	private final RateLimitRegistry limits;

	private final RateLimitEngine engine;

	private final MostDenied denied;

	private final GuardEvents events;

	private final GuardedCalls calls;

	public DefaultRateLimiter(RateLimitRegistry limits, RateLimitEngine engine, MostDenied denied, GuardEvents events,
			GuardedCalls calls) {
		this.limits = limits;
		this.engine = engine;
		this.denied = denied;
		this.events = events;
		this.calls = calls;
	}

	@Override
	public RateLimitDecision tryAcquire(String name, Object key, long cost) {
		forbidWaiting("tryAcquire");
		return decide(requests(name, key, cost));
	}

	@Override
	public RateLimitDecision tryAcquire(RateLimitRequest request) {
		forbidWaiting("tryAcquire");
		return decide(requests(request));
	}

	@Override
	public CompletionStage<RateLimitDecision> tryAcquireAsync(RateLimitRequest request) {
		return decideAsync(requests(request));
	}

	@Override
	public RateLimitDecision tryAcquire(List<RateLimit> limits, Object key) {
		forbidWaiting("tryAcquire");
		return decide(requests(limits, key));
	}

	@Override
	public CompletionStage<RateLimitDecision> tryAcquireAsync(List<RateLimit> limits, Object key) {
		return decideAsync(requests(limits, key));
	}

	private List<PermitRequest> requests(RateLimitRequest request) {
		List<RateLimitRequest.Entry> entries = request.entries();
		if (entries.size() == 1) {
			return requests(entries.get(0).name(), entries.get(0).key(), request.cost());
		}
		List<PermitRequest> requests = new ArrayList<>(entries.size());
		entries.forEach((entry) -> requests.addAll(requests(entry.name(), entry.key(), request.cost())));
		return requireDifferent(requests);
	}

	private List<PermitRequest> requests(List<RateLimit> limits, Object key) {
		if (limits.isEmpty()) {
			throw new IllegalArgumentException("A decision needs at least one limit");
		}
		List<String> parts = KeyText.of(key, new KeyOf(limits.get(0).name()));
		return requireDifferent(this.engine.requests(limits.stream().map(this.limits::admit).toList(), parts, 1));
	}

	private List<PermitRequest> requests(String name, Object key, long cost) {
		return this.engine.requests(this.limits.get(name), KeyText.of(key, new KeyOf(name)), cost);
	}

	// Twice the same state in one decision would be asked once and charged twice
	private static List<PermitRequest> requireDifferent(List<PermitRequest> requests) {
		Set<RedisLimitKey> keys = new HashSet<>();
		for (PermitRequest request : requests) {
			if (!keys.add(request.key())) {
				throw new IllegalArgumentException(
						"The rate limit '" + request.limit().name() + "' is named twice for the same key");
			}
		}
		return requests;
	}

	private static void forbidWaiting(String method) {
		EventLoops.forbidWaiting("RateLimiter." + method, method + "Async");
	}

	@Override
	public CompletionStage<@Nullable Void> acquireAsync(String name, Object key) {
		List<PermitRequest> requests = requests(name, key, 1);
		return this.calls.handOver(this.engine.decide(requests), (decision) -> {
			if (publish(requests, decision) instanceof RateLimitDecision.Denied denied) {
				throw new RateLimitExceededException(denied);
			}
			return null;
		}, EngineDecision::refund);
	}

	@Override
	public void refund(RateLimitDecision.Allowed allowed) {
		if (!(allowed.permits() instanceof TakenPermits permits)) {
			throw new IllegalArgumentException("Only a decision of this rate limiter can be refunded");
		}
		permits.refund();
	}

	@Override
	public void reset(String name, Object key) {
		forbidWaiting("reset");
		Waiting.await(this.engine.reset(requests(name, key, 0)));
	}

	@Override
	public CompletionStage<@Nullable Void> resetAsync(String name, Object key) {
		return this.calls.handOver(this.engine.reset(requests(name, key, 0)), (nothing) -> null, (nothing) -> {
		});
	}

	RateLimitEngine engine() {
		return this.engine;
	}

	public RateLimitDecision decide(List<PermitRequest> requests) {
		CompletableFuture<EngineDecision> decided = this.engine.decide(requests);
		return publish(requests, mayWait(requests) ? Waiting.awaitInterruptibly(decided, interruption(requests))
				: Waiting.await(decided));
	}

	CompletionStage<RateLimitDecision> decideAsync(List<PermitRequest> requests) {
		return this.calls.handOver(this.engine.decide(requests), (decision) -> publish(requests, decision),
				EngineDecision::refund);
	}

	/**
	 * Publishes a decision on the thread of the caller.
	 */
	RateLimitDecision publish(List<PermitRequest> requests, EngineDecision decision) {
		if (decision.result() instanceof RateLimitDecision.Denied refusal) {
			this.denied.add(requests, refusal);
		}
		List<RateLimitEvent> published = decision.events();
		for (int i = 0; i < published.size(); i++) {
			this.events.publish(published.get(i));
		}
		return decision.orRefuse();
	}

	static Function<InterruptedException, RateLimitInterruptedException> interruption(List<PermitRequest> requests) {
		return (interrupt) -> new RateLimitInterruptedException(requests.get(0).limit().name(), interrupt);
	}

	static boolean mayWait(List<PermitRequest> requests) {
		for (int i = 0; i < requests.size(); i++) {
			if (!requests.get(i).limit().waitTime().isZero()) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Describes a key in messages; made only if there is one.
	 */
	private record KeyOf(String name) {

		@Override
		public String toString() {
			return "The key of rate limit '" + this.name + "'";
		}

	}

}
