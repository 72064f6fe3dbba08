/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.PrincipalProvider;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitProperties.Phase;
import io.ge.redis.ratelimit.RateLimitRules;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.http.server.PathContainer;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * The rules of {@code ge.redis.rate-limit.rules} for servlet requests. They are read when
 * all beans exist, before the first request, and a mistake in them fails the start.
 */
public class RequestRules implements SmartInitializingSingleton {

	private final RateLimitRules limits;

	private final Supplier<List<RequestRule>> rules;

	/**
	 * Creates the rules.
	 * @param limits the limits of the rules
	 * @param trustedProxies addresses or networks whose {@code X-Forwarded-For} is
	 * believed
	 * @param parser reads paths as the handlers of the application do
	 * @param principals name the caller
	 */
	public RequestRules(RateLimitRules limits, Supplier<List<String>> trustedProxies,
			Supplier<PathPatternParser> parser, Supplier<List<PrincipalProvider>> principals) {
		this.limits = limits;
		this.rules = SingletonSupplier.of(() -> read(
				new RequestKeys(ClientAddress.behind(trustedProxies.get()), SingletonSupplier.of(principals)),
				parser.get()));
	}

	private List<RequestRule> read(RequestKeys keys, PathPatternParser parser) {
		return this.limits.all().stream().map((rule) -> RequestRule.of(rule, parser, keys)).toList();
	}

	private List<RequestRule> rules() {
		return this.rules.get();
	}

	@Override
	public void afterSingletonsInstantiated() {
		rules();
	}

	boolean existFor(Phase phase) {
		for (RequestRule rule : rules()) {
			if (rule.phase() == phase) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Finds the rules that a request matches.
	 * @param phase the phase
	 * @param request the request
	 * @param path its path within the application
	 * @return the rules with the keys of the request
	 */
	List<RateLimitRules.Match> matches(Phase phase, HttpServletRequest request, PathContainer path) {
		List<RateLimitRules.Match> matches = new ArrayList<>();
		for (RequestRule rule : rules()) {
			if (rule.phase() == phase && rule.matches(request, path)) {
				matches.add(new RateLimitRules.Match(rule.rule(), rule.keyOf(request)));
			}
		}
		return matches;
	}

	RateLimitDecision decide(List<RateLimitRules.Match> matches) {
		return this.limits.decide(matches);
	}

}
