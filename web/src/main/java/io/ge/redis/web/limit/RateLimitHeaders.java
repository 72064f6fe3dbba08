// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.GeRedisException;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.ratelimit.Quota;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimitProperties.Headers;
import io.ge.redis.web.problem.ProblemFields;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Writes the state of all deciding limits into the response, also when the request is
 * admitted; not of trial limits.
 */
public class RateLimitHeaders implements GuardListener, ProblemFields {

	private static final String QUOTAS = RateLimitHeaders.class.getName() + ".quotas";

	private final Supplier<Headers> dialect;

	public RateLimitHeaders(Supplier<Headers> dialect) {
		this.dialect = SingletonSupplier.of(dialect);
	}

	@Override
	public void onEvent(GuardEvent event) {
		if (event instanceof RateLimitEvent decided && decided.quota() != null
				&& RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
				&& attributes.getResponse() != null) {
			tell(List.of(decided.quota()), attributes.getRequest(), attributes.getResponse());
		}
	}

	@Override
	public void add(GeRedisException exception, HttpServletRequest request, HttpServletResponse response) {
		if (exception instanceof RateLimitExceededException exceeded) {
			tell(exceeded.quotas(), request, response);
		}
	}

	void tell(List<Quota> quotas, HttpServletRequest request, HttpServletResponse response) {
		if (this.dialect.get() == Headers.NONE || response.isCommitted()) {
			return;
		}
		List<Quota> all = merge(quotas, request);
		if (!all.isEmpty()) {
			RateLimitFields.of(this.dialect.get(), all).forEach(response::setHeader);
		}
	}

	private static List<Quota> merge(List<Quota> quotas, HttpServletRequest request) {
		List<Quota> earlier = new ArrayList<>();
		if (request.getAttribute(QUOTAS) instanceof List<?> known) {
			known.forEach((quota) -> earlier.add((Quota) quota));
		}
		List<Quota> all = RateLimitFields.merge(earlier, quotas);
		request.setAttribute(QUOTAS, all);
		return all;
	}

}
