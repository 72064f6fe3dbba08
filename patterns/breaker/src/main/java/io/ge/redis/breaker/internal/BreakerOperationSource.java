// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.util.List;
import java.util.stream.Stream;

import io.ge.redis.breaker.BreakerProperties;
import io.ge.redis.breaker.CircuitBreaker;
import io.ge.redis.breaker.CircuitOpenException;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.invocation.FallbackMethod;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.OperationSource;
import io.ge.redis.core.invocation.ReturnTypes;
import io.ge.redis.core.invocation.Settings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.resilience.annotation.Retryable;

/**
 * Reads {@link CircuitBreaker}.
 */
final class BreakerOperationSource extends OperationSource<CircuitBreaker, BreakerOperation> {

	private static final Log logger = LogFactory.getLog(BreakerOperationSource.class);

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
		BreakerSettings settings = this.breakers.define(name, read(annotation, method, this.attributes), origins,
				method);
		String fallback = origins.pickOptional("fallback", null, AttributeReader.given(annotation.fallback(), ""));
		warnOfRetries(method);
		return new BreakerOperation(settings, List.of(name),
				(key != null) ? this.expressions.compileKey(method, "key", key) : null,
				(fallback != null) ? FallbackMethod.find(method, fallback, CircuitOpenException.class) : null,
				ReturnTypes.form(method), new GuardDescription("breaker", "CircuitBreaker", name, origins.toMap()));
	}

	private static BreakerProperties.Breaker read(CircuitBreaker annotation, GuardedMethod method,
			AttributeReader reader) {
		return new BreakerProperties.Breaker(reader.count(method, "failureRate", annotation.failureRate()),
				reader.count(method, "slowCallRate", annotation.slowCallRate()),
				reader.duration(method, "slowAfter", annotation.slowAfter()),
				reader.duration(method, "window", annotation.window()),
				reader.count(method, "minimumCalls", annotation.minimumCalls()),
				reader.duration(method, "openFor", annotation.openFor()), null,
				reader.count(method, "probes", annotation.probes()), null,
				AttributeReader.given(List.of(annotation.record()), List.of()),
				AttributeReader.given(List.of(annotation.ignore()), List.of()),
				AttributeReader.given(annotation.shadow(), false));
	}

	// Each attempt would be refused, after a wait
	private static void warnOfRetries(GuardedMethod method) {
		for (Retryable retryable : find(Retryable.class, method.method(), method.targetClass())) {
			if (isRetried(retryable.includes(), true) && !isRetried(retryable.excludes(), false)) {
				logger.warn("@Retryable on " + method.displayName() + " repeats calls that an open circuit refuses."
						+ " Write @Retryable(excludes = GeRedisException.class).");
			}
		}
	}

	private static boolean isRetried(Class<?>[] types, boolean none) {
		return (types.length == 0) ? none
				: Stream.of(types).anyMatch((type) -> type.isAssignableFrom(CircuitOpenException.class));
	}

}
