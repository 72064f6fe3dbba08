// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.io.IOException;
import java.util.List;

import io.ge.redis.GeRedisException;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimitProperties.Phase;
import io.ge.redis.ratelimit.internal.RateLimitRules;
import io.ge.redis.web.problem.ProblemResolver;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Decides once for each request, by all rules of one phase together. Preflight requests
 * of CORS are not limited, as Spring MVC calls no handler for them.
 */
class RateLimitFilter extends OncePerRequestFilter {

	private final Phase phase;

	private final RequestRules rules;

	private final RateLimitHeaders.OnServlets headers;

	private final ProblemResolver problems;

	RateLimitFilter(Phase phase, RequestRules rules, RateLimitHeaders.OnServlets headers, ProblemResolver problems) {
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
	protected boolean shouldNotFilter(HttpServletRequest request) {
		return !this.rules.existFor(this.phase) || CorsUtils.isPreFlightRequest(request);
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		PathContainer path = path(request);
		if (path == null) {
			// No way around the rules
			response.sendError(HttpServletResponse.SC_BAD_REQUEST);
			return;
		}
		List<RateLimitRules.Match> matches = this.rules.matches(this.phase, LimitedRequest.of(request), path);
		if (matches.isEmpty() || isAdmitted(matches, request, response)) {
			chain.doFilter(request, response);
		}
	}

	private static @Nullable PathContainer path(HttpServletRequest request) {
		try {
			return RequestPath.parse(request.getRequestURI(), request.getContextPath()).pathWithinApplication();
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private boolean isAdmitted(List<RateLimitRules.Match> matches, HttpServletRequest request,
			HttpServletResponse response) throws IOException, ServletException {
		GeRedisException refusal = refusal(matches, request, response);
		if (refusal == null) {
			return true;
		}
		if (!this.problems.answer(refusal, request, response)) {
			throw refusal;
		}
		return false;
	}

	private @Nullable GeRedisException refusal(List<RateLimitRules.Match> matches, HttpServletRequest request,
			HttpServletResponse response) {
		try {
			RateLimitDecision decision = this.rules.decide(matches);
			this.headers.add(decision.quotas(), request, response);
			return (decision instanceof RateLimitDecision.Denied denied)
					? new RateLimitExceededException(denied, RateLimitRules.PROPERTY) : null;
		}
		catch (GeRedisException ex) {
			return ex;
		}
	}

}
