// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.FallbackMethod;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedOperation;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.invocation.MethodExpression;
import io.ge.redis.ratelimit.OnEmptyKey;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimiter;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one method.
 *
 * @param refundOn exceptions of the method after which the permits are refunded
 */
record RateLimitOperation(List<Rule> rules, List<Class<? extends Throwable>> refundOn,
		@Nullable FallbackMethod fallback, ResultForm form, String place) implements GuardedOperation {

	/** Returns the requests of a call: none if it has no key and needs none. */
	List<PermitRequest> requests(RateLimitEngine engine, MethodInvocation invocation) {
		if (this.rules.size() == 1) {
			return this.rules.get(0).requests(engine, invocation);
		}
		List<PermitRequest> requests = new ArrayList<>(this.rules.size());
		for (Rule rule : this.rules) {
			requests.addAll(rule.requests(engine, invocation));
		}
		return requests;
	}

	/**
	 * Refunds the permits of a call if that is configured for its failure. The caller
	 * must get that failure, also if the refund fails.
	 */
	void refund(RateLimiter limiter, RateLimitDecision.Allowed allowed, Throwable failure) {
		if (!refundsOn(failure)) {
			return;
		}
		try {
			limiter.refund(allowed);
		}
		catch (RuntimeException ex) {
			failure.addSuppressed(ex);
		}
	}

	boolean refundsOn(Throwable failure) {
		for (Class<? extends Throwable> type : this.refundOn) {
			if (type.isInstance(failure)) {
				return true;
			}
		}
		return false;
	}

	@Nullable Object refuse(MethodInvocation invocation, RateLimitDecision.Denied denied) throws Throwable {
		if (this.fallback == null) {
			throw new RateLimitExceededException(denied, this.place);
		}
		return this.fallback.invoke(invocation, () -> new RateLimitExceededException(denied, this.place));
	}

	@Override
	public List<GuardDescription> describe() {
		List<GuardDescription> descriptions = new ArrayList<>(this.rules.size());
		this.rules.forEach((rule) -> descriptions.addAll(rule.descriptions()));
		return descriptions;
	}

	/**
	 * The settings of one annotation.
	 *
	 * @param name the name of one or several limits
	 * @param limits the registry of the name, read at each call, since properties can
	 * change
	 * @param key whom it limits, or {@code null} for all callers together
	 */
	record Rule(String name, RateLimitRegistry limits, @Nullable MethodExpression key, OnEmptyKey onEmptyKey,
			RateLimitCost cost, List<GuardDescription> descriptions) {

		List<PermitRequest> requests(RateLimitEngine engine, MethodInvocation invocation) {
			List<String> entity = List.of();
			if (this.key != null) {
				Object value = this.key.evaluate(invocation);
				if (this.onEmptyKey == OnEmptyKey.ERROR || !KeyText.isEmpty(value)) {
					entity = KeyText.of(value, this.key);
				}
				else if (this.onEmptyKey == OnEmptyKey.SKIP) {
					return List.of();
				}
			}
			return engine.requests(this.limits.get(this.name), entity, this.cost.evaluate(invocation));
		}

	}

}
