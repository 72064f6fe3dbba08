/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.limit;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.PrincipalProvider;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitProperties.Phase;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.ratelimit.RateLimitRule;
import io.ge.redis.ratelimit.guard.RateLimitRules;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.http.server.PathContainer;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * The rules of {@code ge.redis.rate-limit.rules} for requests. A mistake in them fails
 * the start, and changes nothing when the environment is refreshed.
 */
public class RequestRules implements SmartInitializingSingleton {

	private final RateLimitRules limits;

	private final Supplier<PathPatternParser> parser;

	private final Supplier<List<PrincipalProvider>> principals;

	private final String example;

	private volatile @Nullable List<RequestRule> rules;

	public RequestRules(RateLimitRules limits, Supplier<PathPatternParser> parser,
			Supplier<List<PrincipalProvider>> principals, String example) {
		this.limits = limits;
		this.parser = parser;
		this.principals = SingletonSupplier.of(principals);
		this.example = example;
		limits.onRefresh(this::read);
	}

	private Runnable read(List<RateLimitRule> limits, RateLimitProperties properties) {
		RequestKeys keys = new RequestKeys(
				ClientAddress.behind(properties.trustedProxies(), properties.forwardedField()), this.principals,
				this.example);
		PathPatternParser parser = this.parser.get();
		List<RequestRule> read = limits.stream().map((rule) -> RequestRule.of(rule, parser, keys)).toList();
		return () -> this.rules = read;
	}

	private List<RequestRule> rules() {
		List<RequestRule> known = this.rules;
		if (known == null) {
			this.limits.read(this::read);
			known = Objects.requireNonNull(this.rules);
		}
		return known;
	}

	@Override
	public void afterSingletonsInstantiated() {
		rules();
	}

	boolean knowPrincipals() {
		return !this.principals.get().isEmpty();
	}

	boolean existFor(Phase phase) {
		for (RequestRule rule : rules()) {
			if (rule.phase() == phase) {
				return true;
			}
		}
		return false;
	}

	List<RateLimitRules.Match> matches(Phase phase, LimitedRequest request, PathContainer path) {
		List<RateLimitRules.Match> matches = new ArrayList<>();
		for (RequestRule rule : rules()) {
			if (rule.phase() == phase && rule.matches(request, path)) {
				matches.add(new RateLimitRules.Match(rule.rule(), rule.key().of(request)));
			}
		}
		return matches;
	}

	RateLimitDecision decide(List<RateLimitRules.Match> matches) {
		return this.limits.decide(matches);
	}

	CompletionStage<RateLimitDecision> decideAsync(List<RateLimitRules.Match> matches) {
		return this.limits.decideAsync(matches);
	}

}
