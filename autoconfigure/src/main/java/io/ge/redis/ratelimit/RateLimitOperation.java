/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.core.invocation.FallbackMethod;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedOperation;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.invocation.MethodExpression;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one method.
 *
 * @param rules the limits, at least one
 * @param fallback answers refused calls, if there is one
 */
record RateLimitOperation(List<Rule> rules, @Nullable FallbackMethod fallback) implements GuardedOperation {

	List<Demand> demands(MethodInvocation invocation) {
		if (this.rules.size() == 1) {
			return List.of(this.rules.get(0).demand(invocation));
		}
		List<Demand> demands = new ArrayList<>(this.rules.size());
		for (Rule rule : this.rules) {
			demands.add(rule.demand(invocation));
		}
		return demands;
	}

	@Override
	public List<GuardDescription> describe() {
		return this.rules.stream().map(Rule::description).toList();
	}

	/**
	 * One limit on the method.
	 *
	 * @param limit the limit
	 * @param key whom it limits, or {@code null} for all callers together
	 * @param description for the endpoint
	 */
	record Rule(RateLimit limit, @Nullable MethodExpression key, GuardDescription description) {

		Demand demand(MethodInvocation invocation) {
			return (this.key == null) ? Demand.ofAll(this.limit, 1)
					: new Demand(this.limit, KeyText.of(this.key.evaluate(invocation), this.key), 1);
		}

	}

}
