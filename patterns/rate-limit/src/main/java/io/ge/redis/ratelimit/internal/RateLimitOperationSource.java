// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.invocation.FallbackMethod;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.MethodExpression;
import io.ge.redis.core.invocation.OperationSource;
import io.ge.redis.core.invocation.ReturnTypes;
import io.ge.redis.core.invocation.Setting;
import io.ge.redis.core.invocation.Settings;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.ratelimit.OnEmptyKey;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.ratelimit.RateLimited;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@link RateLimited}.
 */
final class RateLimitOperationSource extends OperationSource<RateLimited, RateLimitOperation> {

	private static final Pattern NUMBER = Pattern.compile("\\s*[+-]?\\d+(\\.\\d+)?\\s*");

	private final RateLimitRegistry limits;

	private final AttributeReader attributes;

	private final ExpressionCompiler expressions;

	RateLimitOperationSource(RateLimitRegistry limits, AttributeReader attributes, ExpressionCompiler expressions) {
		super(RateLimited.class);
		this.limits = limits;
		this.attributes = attributes;
		this.expressions = expressions;
	}

	@Override
	protected RateLimitOperation parse(List<RateLimited> annotations, GuardedMethod method) {
		ResultForm form = ReturnTypes.form(method);
		List<RateLimitOperation.Rule> rules = new ArrayList<>();
		Set<String> names = new HashSet<>();
		Set<Class<? extends Throwable>> refundOn = new LinkedHashSet<>();
		String fallback = null;
		for (RateLimited annotation : annotations) {
			RateLimitOperation.Rule rule = rule(annotation, method);
			for (GuardDescription limit : rule.descriptions()) {
				if (!names.add(limit.name())) {
					throw method.problem("the name '" + limit.name() + "' is used on it twice.",
							"Give each limit a name of its own.");
				}
			}
			rules.add(rule);
			refundOn.addAll(Arrays.asList(annotation.refundOn()));
			fallback = single(fallback, annotation.fallback(), method);
		}
		return new RateLimitOperation(List.copyOf(rules), List.copyOf(refundOn),
				(fallback != null) ? FallbackMethod.find(method, fallback, RateLimitExceededException.class) : null,
				form, method.displayName());
	}

	private RateLimitOperation.Rule rule(RateLimited annotation, GuardedMethod method) {
		String name = this.attributes.name(method, annotation.name());
		String key = this.attributes.text(method, "key", annotation.key());
		MethodExpression expression = (key != null) ? this.expressions.compileKey(method, "key", key) : null;
		if (expression == null && annotation.onEmptyKey() != OnEmptyKey.ERROR) {
			throw method.problem("onEmptyKey = " + annotation.onEmptyKey() + " has no effect without a key.",
					"Add key = \"...\", or remove onEmptyKey.");
		}
		RateLimitCost cost = cost(annotation, method);
		List<RateLimit> limits = this.limits.define(method, name, read(annotation, method), cost.constant());
		return new RateLimitOperation.Rule(name, this.limits, expression, annotation.onEmptyKey(), cost,
				describe(limits, annotation, key));
	}

	// A constant is read here, so that one that can never pass is refused at startup
	private RateLimitCost cost(RateLimited annotation, GuardedMethod method) {
		String text = this.attributes.text(method, "cost", annotation.cost());
		if (text == null) {
			return RateLimitCost.ONE;
		}
		if (!NUMBER.matcher(text).matches()) {
			return RateLimitCost.of(this.expressions.compile(method, "cost", text));
		}
		try {
			long constant = Long.parseLong(text.strip());
			if (constant >= 0) {
				return new RateLimitCost(constant, null);
			}
		}
		catch (NumberFormatException ex) {
			// refused below
		}
		throw method.problem("cost = \"" + text + "\" is no whole number of permits.",
				"Write a whole number, zero or more, or an expression over the parameters, such as \"#rows.size()\".");
	}

	private List<GuardDescription> describe(List<RateLimit> limits, RateLimited annotation, @Nullable String key) {
		Settings own = new Settings();
		own.pickOptional("key", null, key);
		if (key != null) {
			own.pick("onEmptyKey", null, AttributeReader.given(annotation.onEmptyKey(), OnEmptyKey.ERROR),
					OnEmptyKey.ERROR);
		}
		own.pick("cost", null, textOrNull(annotation.cost()), "1");
		own.pickOptional("refundOn", null, textOrNull(simpleNames(annotation.refundOn())));
		own.pickOptional("fallback", null, textOrNull(annotation.fallback()));
		return limits.stream().map((limit) -> {
			Map<String, Setting> all = new LinkedHashMap<>(this.limits.current().settings(limit.name()));
			all.putAll(own.toMap());
			return new GuardDescription("ratelimit", "RateLimited", limit.name(), all);
		}).toList();
	}

	private static @Nullable String textOrNull(String text) {
		return text.isEmpty() ? null : text;
	}

	private static String simpleNames(Class<?>[] types) {
		return Arrays.stream(types).map(Class::getSimpleName).collect(Collectors.joining(", "));
	}

	private RateLimitProperties.Limit read(RateLimited annotation, GuardedMethod method) {
		Long limit = (annotation.limit() != 0) ? Long.valueOf(annotation.limit())
				: this.attributes.number(method, "limitString", annotation.limitString());
		return new RateLimitProperties.Limit(limit, this.attributes.duration(method, "window", annotation.window()),
				AttributeReader.given(annotation.algorithm(), RateLimitAlgorithm.SLIDING_WINDOW),
				AttributeReader.given(annotation.burst(), 0L),
				this.attributes.duration(method, "waitTime", annotation.waitTime()),
				AttributeReader.given(annotation.onOutage(), OutagePolicy.DEFAULT),
				AttributeReader.given(annotation.shadow(), false), List.of(), Map.of());
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
