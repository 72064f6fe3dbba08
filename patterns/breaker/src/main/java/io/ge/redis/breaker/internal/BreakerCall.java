// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.ge.redis.breaker.BreakerCallEvent;
import io.ge.redis.breaker.CircuitOpenException;
import io.ge.redis.breaker.internal.InstanceBreaker.Outcome;
import io.ge.redis.core.call.GuardedCall;
import org.jspecify.annotations.Nullable;

/**
 * A call under a breaker. Sends no command.
 */
final class BreakerCall implements GuardedCall<@Nullable Void>, GuardedCall.Work {

	private final BreakerEngine engine;

	private final InstanceBreaker breaker;

	private final Work work;

	private final Function<CircuitOpenException, Work> refused;

	private volatile InstanceBreaker.@Nullable Permit permit;

	/**
	 * Creates a call.
	 * @param refused returns the replacement of refused work, or throws
	 */
	BreakerCall(BreakerEngine engine, InstanceBreaker breaker, Work work,
			Function<CircuitOpenException, Work> refused) {
		this.engine = engine;
		this.breaker = breaker;
		this.work = work;
		this.refused = refused;
	}

	@Override
	public CompletableFuture<@Nullable Void> ask() {
		return DONE;
	}

	@Override
	public Work decide(@Nullable Void nothing) {
		long now = this.engine.now();
		this.permit = this.breaker.acquire(now);
		if (this.permit != null) {
			return this;
		}
		boolean shadow = this.breaker.settings.shadow();
		publish(shadow ? "shadow_refused" : "refused", 0);
		return shadow ? this.work : this.refused
			.apply(new CircuitOpenException(this.breaker.settings.name(), this.breaker.retryAfter(now)));
	}

	@Override
	public void release(@Nullable Void nothing) {
		InstanceBreaker.Permit unused = this.permit;
		if (unused != null) {
			this.breaker.end(unused, Outcome.IGNORED, this.engine.now());
		}
	}

	@Override
	public @Nullable Object start() throws Throwable {
		return this.work.start();
	}

	@Override
	public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
		InstanceBreaker.Permit used = this.permit;
		if (used != null) {
			long now = this.engine.now();
			Outcome outcome = outcome(failure, now - used.startedAt());
			this.breaker.end(used, outcome, now);
			publish(outcome.result, now - used.startedAt());
		}
		return DONE;
	}

	private Outcome outcome(@Nullable Throwable failure, long nanos) {
		BreakerSettings settings = this.breaker.settings;
		if (failure != null) {
			return settings.rule().isFailure(failure) ? Outcome.FAILURE : Outcome.IGNORED;
		}
		Duration slow = settings.slowAfter();
		return (slow != null && nanos >= slow.toNanos()) ? Outcome.SLOW : Outcome.SUCCESS;
	}

	private void publish(String result, long nanos) {
		this.engine.publish(new BreakerCallEvent(this.breaker.settings.name(), result, nanos));
	}

}
