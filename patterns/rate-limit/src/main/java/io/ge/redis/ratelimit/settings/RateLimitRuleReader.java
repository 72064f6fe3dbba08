/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.ratelimit.RateLimitRule;
import io.ge.redis.ratelimit.guard.RateLimitRules;

/**
 * Reads the rules of one reading of the properties, and defines the limits that they
 * describe.
 */
final class RateLimitRuleReader {

	private final RateLimitDefinitions definitions;

	RateLimitRuleReader(RateLimitDefinitions definitions) {
		this.definitions = definitions;
	}

	List<RateLimitRule> read() {
		List<RateLimitProperties.Rule> settings = this.definitions.properties().rules();
		List<RateLimitRule> rules = new ArrayList<>(settings.size());
		for (int i = 0; i < settings.size(); i++) {
			rules.add(read(settings.get(i), RateLimitRules.PROPERTY + "[" + i + "]"));
		}
		return List.copyOf(rules);
	}

	private RateLimitRule read(RateLimitProperties.Rule rule, String place) {
		if (rule.path().isEmpty()) {
			throw new GuardConfigurationException(place + ".path", "it is missing.",
					"Set a pattern such as /api/**, or /** for all requests.");
		}
		if (rule.cost() < 0) {
			throw new GuardConfigurationException(place + ".cost", "it is " + rule.cost() + ".",
					"Set it to the number of permits that a request takes, zero to only look.");
		}
		return new RateLimitRule(place, rule, rule.limits().isEmpty() ? described(rule, place) : named(rule, place));
	}

	private List<RateLimit> described(RateLimitProperties.Rule rule, String place) {
		List<RateLimit> limits = new ArrayList<>();
		this.definitions.add(RateLimitDefinitions.Use.of(place, name(rule), attributes(rule), rule.cost()))
			.forEach((merged) -> limits.add(merged.limit()));
		return List.copyOf(limits);
	}

	private List<RateLimit> named(RateLimitProperties.Rule rule, String place) {
		if (rule.limit() != null || rule.window() != null || rule.algorithm() != null || rule.burst() != null) {
			throw new GuardConfigurationException(place,
					"it describes a limit of its own and names other limits as well.",
					"Remove " + place + ".limits, or limit, window, algorithm and burst.");
		}
		List<RateLimit> limits = new ArrayList<>();
		for (int i = 0; i < rule.limits().size(); i++) {
			limits.addAll(named(rule.limits().get(i), rule.cost(), place + ".limits[" + i + "]"));
		}
		return List.copyOf(limits);
	}

	private List<RateLimit> named(String name, long cost, String place) {
		List<RateLimit> limits = this.definitions.get(name);
		if (limits.isEmpty()) {
			throw new GuardConfigurationException(place, "there is no limit '" + name + "'.",
					"Set " + RateLimitProperties.path(name) + ".limit, or correct the name.");
		}
		try {
			for (RateLimit limit : limits) {
				new RateLimitChecks((attribute) -> attribute).cost(cost, limit);
			}
		}
		catch (InvalidRateLimitException ex) {
			throw new GuardConfigurationException(place, ex.problem(), ex.remedy(), ex);
		}
		return limits;
	}

	private static String name(RateLimitProperties.Rule rule) {
		if (rule.name() != null) {
			return rule.name();
		}
		String paths = String.join(",", rule.path());
		return rule.methods().isEmpty() ? paths : String.join(",", rule.methods()) + " " + paths;
	}

	private static RateLimitProperties.Limit attributes(RateLimitProperties.Rule rule) {
		return new RateLimitProperties.Limit(rule.limit(), rule.window(), rule.algorithm(), rule.burst(), null, null,
				null, null, List.of(), Map.of());
	}

}
