/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.core.invocation.KeyText;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * Limits on requests, described by {@code ge.redis.rate-limit.rules}. Knows no request:
 * adapters find out which rules a request matches and what its keys are.
 */
public final class RateLimitRules {

	/** Where the rules stand. */
	public static final String PROPERTY = "ge.redis.rate-limit.rules";

	private final RateLimits limits;

	private final Supplier<DefaultRateLimiter> limiter;

	private final Supplier<List<RateLimitRule>> rules = SingletonSupplier.of(this::read);

	RateLimitRules(RateLimits limits, Supplier<DefaultRateLimiter> limiter) {
		this.limits = limits;
		this.limiter = limiter;
	}

	/**
	 * Returns the rules, whose limits can be used by name from then on.
	 * @return the rules in the order in which they are written
	 * @throws GuardConfigurationException if the limits of a rule cannot work
	 */
	public List<RateLimitRule> all() {
		return this.rules.get();
	}

	/**
	 * Decides on a request by all rules that it matches, all or nothing. A limit that
	 * several of them apply to the same key is charged once, with the highest cost. Costs
	 * one script call for each key (on a Cluster: for each slot).
	 * @param matches the rules, with the keys of the request
	 * @return the decision
	 * @throws io.ge.redis.core.invocation.InvalidKeyException if a key is missing and its
	 * rule says that this is an error
	 * @throws RateLimitCostException if a limit never gives as much as a rule takes
	 * @throws io.ge.redis.core.outage.RedisUnavailableException if Redis is away and the
	 * policy of one of the limits is to deny
	 */
	public RateLimitDecision decide(List<Match> matches) {
		Collection<Demand> demands = demands(matches);
		if (demands.isEmpty()) {
			return new RateLimitDecision.Allowed(List.of(), () -> 0);
		}
		return this.limiter.get().decide(List.copyOf(demands));
	}

	private Collection<Demand> demands(List<Match> matches) {
		Map<List<Object>, Demand> demands = new LinkedHashMap<>();
		for (Match match : matches) {
			List<String> key = match.parts();
			if (key == null) {
				continue;
			}
			for (RateLimit known : match.rule().limits()) {
				RateLimit limit = this.limits.current(known);
				demands.merge(List.of(limit.name(), key), new Demand(limit, key, match.rule().settings().cost()),
						(first, next) -> (next.cost() > first.cost()) ? next : first);
			}
		}
		return demands.values();
	}

	private List<RateLimitRule> read() {
		List<RateLimitProperties.Rule> settings = this.limits.properties().rules();
		List<RateLimitRule> rules = new ArrayList<>(settings.size());
		for (int i = 0; i < settings.size(); i++) {
			rules.add(read(settings.get(i), PROPERTY + "[" + i + "]"));
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
		this.limits
			.define(new RateLimitDefinitions.Use(name(rule), attributes(rule), rule.cost(),
					RateLimitDefinitions.Place.of(place)))
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
		List<RateLimit> limits;
		try {
			limits = this.limits.get(name);
		}
		catch (IllegalArgumentException ex) {
			throw new GuardConfigurationException(place, "there is no limit '" + name + "'.",
					"Set " + RateLimitProperties.path(name) + ".limit, or correct the name.", ex);
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

	/**
	 * A rule that applies to a request.
	 *
	 * @param rule the rule
	 * @param key whom or what it limits: text, a number, or a list of those; ignored if
	 * the rule has no key
	 */
	public record Match(RateLimitRule rule, @Nullable Object key) {

		private @Nullable List<String> parts() {
			RateLimitProperties.Rule settings = this.rule.settings();
			if (settings.key() == null) {
				return List.of();
			}
			if (KeyText.isEmpty(this.key) && settings.onEmptyKey() != OnEmptyKey.ERROR) {
				return (settings.onEmptyKey() == OnEmptyKey.SHARED) ? List.of() : null;
			}
			return KeyText.of(this.key, "The key of " + this.rule.place());
		}

	}

}
