// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.time.Duration;
import java.util.List;

import io.ge.redis.breaker.BreakerProperties;
import io.ge.redis.breaker.CircuitBreaker;
import io.ge.redis.breaker.CircuitOpenException;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.invocation.FallbackMethod;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.MethodExpression;
import io.ge.redis.core.invocation.OperationSource;
import io.ge.redis.core.invocation.ReturnTypes;
import io.ge.redis.core.invocation.Settings;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@link CircuitBreaker}.
 */
final class BreakerOperationSource extends OperationSource<CircuitBreaker, BreakerOperation> {

	private final BreakerRegistry breakers;

	private final AttributeReader attributes;

	private final ExpressionCompiler expressions;

	BreakerOperationSource(BreakerRegistry breakers, AttributeReader attributes, ExpressionCompiler expressions) {
		super(CircuitBreaker.class);
		this.breakers = breakers;
		this.attributes = attributes;
		this.expressions = expressions;
	}

	@Override
	protected BreakerOperation parse(List<CircuitBreaker> annotations, GuardedMethod method) {
		CircuitBreaker annotation = annotations.get(0);
		String name = this.attributes.name(method, annotation.name());
		Settings origins = new Settings();
		String key = origins.pickOptional("key", null, this.attributes.text(method, "key", annotation.key()));
		MethodExpression expression = (key != null) ? this.expressions.compileKey(method, "key", key) : null;
		BreakerSettings settings = this.breakers.define(name, read(annotation, method), origins, method);
		String fallback = origins.pickOptional("fallback", null, AttributeReader.given(annotation.fallback(), ""));
		return new BreakerOperation(settings, List.of(name), expression,
				new FailureRule(List.of(annotation.record()), List.of(annotation.ignore())),
				(fallback != null) ? FallbackMethod.find(method, fallback, CircuitOpenException.class) : null,
				ReturnTypes.form(method), new GuardDescription("breaker", "CircuitBreaker", name, origins.toMap()));
	}

	private BreakerProperties.Breaker read(CircuitBreaker annotation, GuardedMethod method) {
		return new BreakerProperties.Breaker(count(method, "failureRate", annotation.failureRate()),
				count(method, "slowCallRate", annotation.slowCallRate()),
				duration(method, "slowAfter", annotation.slowAfter()), duration(method, "window", annotation.window()),
				count(method, "minimumCalls", annotation.minimumCalls()),
				duration(method, "openFor", annotation.openFor()), null, count(method, "probes", annotation.probes()),
				null, AttributeReader.given(annotation.shadow(), false));
	}

	private @Nullable Integer count(GuardedMethod method, String attribute, String value) {
		return this.attributes.count(method, attribute, value);
	}

	private @Nullable Duration duration(GuardedMethod method, String attribute, String value) {
		return this.attributes.duration(method, attribute, value);
	}

}
