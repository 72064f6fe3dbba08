/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.invocation.FallbackMethod;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.MethodExpression;
import io.ge.redis.core.invocation.OperationSource;
import io.ge.redis.core.invocation.ReturnTypes;
import io.ge.redis.core.invocation.Settings;
import io.ge.redis.core.outage.OutagePolicy;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@link RateLimited}.
 */
final class RateLimitOperationSource extends OperationSource<RateLimited, RateLimitOperation> {

	private final RateLimits limits;

	private final AttributeReader attributes;

	private final ExpressionCompiler expressions;

	RateLimitOperationSource(RateLimits limits, AttributeReader attributes, ExpressionCompiler expressions) {
		super(RateLimited.class);
		this.limits = limits;
		this.attributes = attributes;
		this.expressions = expressions;
	}

	@Override
	protected RateLimitOperation parse(List<RateLimited> annotations, GuardedMethod method) {
		ReturnTypes.requireSynchronous(method);
		List<RateLimitOperation.Rule> rules = new ArrayList<>();
		Set<String> names = new HashSet<>();
		String fallback = null;
		for (RateLimited annotation : annotations) {
			RateLimitOperation.Rule rule = rule(annotation, method);
			if (!names.add(rule.limit().name())) {
				throw method.problem("the name '" + rule.limit().name() + "' stands on it twice.",
						"Give each limit a name of its own.");
			}
			rules.add(rule);
			fallback = single(fallback, annotation.fallback(), method);
		}
		return new RateLimitOperation(List.copyOf(rules),
				(fallback != null) ? FallbackMethod.find(method, fallback, RateLimitExceededException.class) : null);
	}

	private RateLimitOperation.Rule rule(RateLimited annotation, GuardedMethod method) {
		String name = this.attributes.text(method, "name", annotation.name());
		if (name == null) {
			name = method.defaultName();
		}
		Settings settings = new Settings();
		RateLimit limit = this.limits.define(name, read(annotation, method), settings, method);
		String key = this.attributes.text(method, "key", annotation.key());
		settings.pickOptional("key", null, key);
		MethodExpression expression = (key != null) ? this.expressions.compile(method, "key", key) : null;
		return new RateLimitOperation.Rule(limit, expression,
				new GuardDescription("ratelimit", "RateLimited", name, settings.toMap()));
	}

	private RateLimitProperties.Limit read(RateLimited annotation, GuardedMethod method) {
		Long limit = (annotation.limit() != 0) ? Long.valueOf(annotation.limit())
				: this.attributes.number(method, "limitString", annotation.limitString());
		return new RateLimitProperties.Limit(limit, this.attributes.duration(method, "window", annotation.window()),
				(annotation.algorithm() != RateLimitAlgorithm.SLIDING_WINDOW) ? annotation.algorithm() : null,
				(annotation.burst() != 0) ? annotation.burst() : null,
				this.attributes.duration(method, "waitTime", annotation.waitTime()),
				(annotation.lease() != 1) ? annotation.lease() : null,
				(annotation.onOutage() != OutagePolicy.DEFAULT) ? annotation.onOutage() : null,
				annotation.shadow() ? Boolean.TRUE : null, List.of(), Map.of());
	}

	private static @Nullable String single(@Nullable String first, String next, GuardedMethod method) {
		if (next.isEmpty() || next.equals(first)) {
			return first;
		}
		if (first != null) {
			throw method.problem("its limits name different fallbacks, '" + first + "' and '" + next + "'.",
					"Name one fallback for the method.");
		}
		return next;
	}

}
