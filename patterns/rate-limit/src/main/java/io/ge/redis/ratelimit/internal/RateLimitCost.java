// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.math.BigDecimal;

import io.ge.redis.core.invocation.MethodExpression;
import io.ge.redis.ratelimit.RateLimitCostException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Number of permits that a call takes.
 *
 * @param constant the number, if it is known before any call
 * @param expression gives the number for each call, if it is not
 */
record RateLimitCost(long constant, @Nullable MethodExpression expression) {

	private static final BigDecimal LARGEST = BigDecimal.valueOf(Long.MAX_VALUE);

	static final RateLimitCost ONE = new RateLimitCost(1, null);

	static RateLimitCost of(MethodExpression expression) {
		return new RateLimitCost(0, expression);
	}

	long evaluate(MethodInvocation invocation) {
		return (this.expression == null) ? this.constant
				: permits(this.expression.evaluate(invocation), this.expression);
	}

	private static long permits(@Nullable Object value, MethodExpression expression) {
		if (value instanceof Integer number && number >= 0) {
			return number;
		}
		try {
			BigDecimal permits = (value instanceof Number) ? new BigDecimal(value.toString()) : BigDecimal.ONE.negate();
			if (permits.signum() >= 0 && permits.stripTrailingZeros().scale() <= 0) {
				// The engine reports that no limit gives as many
				return permits.min(LARGEST).longValue();
			}
		}
		catch (NumberFormatException ex) {
			// neither a number nor infinite: refused below
		}
		throw RateLimitCostException.noWholeNumber(expression + " evaluated to " + shown(value)
				+ ", but the cost of a call is a whole number of permits, zero or more");
	}

	private static @Nullable Object shown(@Nullable Object value) {
		return (value == null || value instanceof Number) ? value : "a " + value.getClass().getName();
	}

}
