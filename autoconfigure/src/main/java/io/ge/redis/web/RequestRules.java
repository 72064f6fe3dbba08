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
import org.springframework.http.server.RequestPath;
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

	@Override
	public void afterSingletonsInstantiated() {
		this.rules.get();
	}

	/**
	 * Finds the rules that a request matches.
	 * @param phase the phase
	 * @param request the request
	 * @return the rules with the keys of the request
	 * @throws IllegalArgumentException if the path of the request does not parse
	 */
	List<RateLimitRules.Match> matches(Phase phase, HttpServletRequest request) {
		List<RateLimitRules.Match> matches = new ArrayList<>();
		PathContainer path = null;
		for (RequestRule rule : this.rules.get()) {
			if (rule.phase() == phase) {
				if (path == null) {
					path = RequestPath.parse(request.getRequestURI(), request.getContextPath()).pathWithinApplication();
				}
				if (rule.matches(request, path)) {
					matches.add(new RateLimitRules.Match(rule.rule(), rule.keyOf(request)));
				}
			}
		}
		return matches;
	}

	RateLimitDecision decide(List<RateLimitRules.Match> matches) {
		return this.limits.decide(matches);
	}

}
