/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.io.IOException;
import java.util.List;

import io.ge.redis.GeRedisException;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimitProperties.Phase;
import io.ge.redis.ratelimit.RateLimitRules;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Lets requests through that the rules of one phase admit, with one decision for all
 * rules that match, and answers the others. A request is decided once, whatever it is
 * dispatched to later.
 */
public class RateLimitFilter extends OncePerRequestFilter {

	private final Phase phase;

	private final RequestRules rules;

	private final RateLimitHeaders headers;

	private final ProblemResolver problems;

	/**
	 * Creates a filter.
	 * @param phase which rules it decides by
	 * @param rules all rules
	 * @param headers tells clients where their limits stand
	 * @param problems answers refusals
	 */
	public RateLimitFilter(Phase phase, RequestRules rules, RateLimitHeaders headers, ProblemResolver problems) {
		this.phase = phase;
		this.rules = rules;
		this.headers = headers;
		this.problems = problems;
	}

	@Override
	protected String getAlreadyFilteredAttributeName() {
		return RateLimitFilter.class.getName() + "." + this.phase + ALREADY_FILTERED_SUFFIX;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		List<RateLimitRules.Match> matches;
		try {
			matches = this.rules.matches(this.phase, request);
		}
		catch (IllegalArgumentException ex) {
			// A path that does not parse is no way around the rules
			response.sendError(HttpServletResponse.SC_BAD_REQUEST);
			return;
		}
		if (matches.isEmpty() || isAdmitted(matches, request, response)) {
			chain.doFilter(request, response);
		}
	}

	private boolean isAdmitted(List<RateLimitRules.Match> matches, HttpServletRequest request,
			HttpServletResponse response) throws IOException {
		GeRedisException refusal = refusal(matches, request, response);
		if (refusal != null && !this.problems.answer(refusal, request, response)) {
			throw refusal;
		}
		return refusal == null;
	}

	private @Nullable GeRedisException refusal(List<RateLimitRules.Match> matches, HttpServletRequest request,
			HttpServletResponse response) {
		try {
			RateLimitDecision decision = this.rules.decide(matches);
			this.headers.tell(decision.quotas(), request, response);
			return (decision instanceof RateLimitDecision.Denied denied) ? new RateLimitExceededException(denied)
					: null;
		}
		catch (GeRedisException ex) {
			return ex;
		}
	}

}
