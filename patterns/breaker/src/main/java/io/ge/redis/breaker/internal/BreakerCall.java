// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.breaker.BreakerCallEvent;
import io.ge.redis.breaker.CircuitOpenException;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.event.GuardEvents;
import org.jspecify.annotations.Nullable;

/**
 * A call under a breaker. Asks Redis for nothing.
 */
final class BreakerCall implements GuardedCall<@Nullable Void>, GuardedCall.Work {

	private final BreakerEngine engine;

	private final InstanceBreaker breaker;

	private final FailureRule rule;

	private final GuardEvents events;

	private final Task task;

	private final @Nullable Fallback fallback;

	private volatile InstanceBreaker.@Nullable Permit permit;

	BreakerCall(BreakerEngine engine, InstanceBreaker breaker, FailureRule rule, GuardEvents events, Task task,
			@Nullable Fallback fallback) {
		this.engine = engine;
		this.breaker = breaker;
		this.rule = rule;
		this.events = events;
		this.task = task;
		this.fallback = fallback;
	}

	@Override
	public CompletableFuture<@Nullable Void> ask() {
		return DONE;
	}

	@Override
	public Work decide(@Nullable Void nothing) {
		long now = this.engine.now();
		InstanceBreaker.Permit acquired = this.breaker.acquire(now);
		this.permit = acquired;
		if (acquired != null) {
			return this;
		}
		boolean shadow = this.breaker.settings().shadow();
		publish(shadow ? "shadow_refused" : "refused", 0);
		if (shadow) {
			return this.task::run;
		}
		CircuitOpenException refusal = new CircuitOpenException(this.breaker.settings().name(),
				this.breaker.retryAfter(now));
		Fallback answering = this.fallback;
		if (answering == null) {
			throw refusal;
		}
		return () -> answering.answer(refusal);
	}

	@Override
	public void release(@Nullable Void nothing) {
		InstanceBreaker.Permit unused = this.permit;
		if (unused != null) {
			this.breaker.end(unused, InstanceBreaker.Outcome.IGNORED, this.engine.now());
		}
	}

	@Override
	public @Nullable Object start() throws Throwable {
		return this.task.run();
	}

	@Override
	public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
		InstanceBreaker.Permit used = this.permit;
		if (used != null) {
			long now = this.engine.now();
			InstanceBreaker.Outcome outcome = outcome(failure, now - used.startedAt());
			this.breaker.end(used, outcome, now);
			publish(switch (outcome) {
				case SUCCESS -> "success";
				case FAILURE -> "failure";
				case SLOW -> "slow";
				case IGNORED -> "ignored";
			}, now - used.startedAt());
		}
		return DONE;
	}

	private InstanceBreaker.Outcome outcome(@Nullable Throwable failure, long nanos) {
		if (failure != null) {
			return this.rule.isFailure(failure) ? InstanceBreaker.Outcome.FAILURE : InstanceBreaker.Outcome.IGNORED;
		}
		Duration slow = this.breaker.settings().slowAfter();
		return (slow != null && nanos >= slow.toNanos()) ? InstanceBreaker.Outcome.SLOW
				: InstanceBreaker.Outcome.SUCCESS;
	}

	private void publish(String result, long nanos) {
		this.events.publish(new BreakerCallEvent(this.breaker.settings().name(), result, nanos));
	}

	@FunctionalInterface
	interface Task {

		@Nullable Object run() throws Throwable;

	}

	@FunctionalInterface
	interface Fallback {

		@Nullable Object answer(CircuitOpenException refusal) throws Throwable;

	}

}
