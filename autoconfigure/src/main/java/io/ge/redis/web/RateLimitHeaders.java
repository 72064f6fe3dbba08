/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.ratelimit.Quota;
import io.ge.redis.ratelimit.RateLimitEvent;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Tells the client of the current request where its limits stand, also when the call is
 * admitted. Limits of several guarded methods in one request are listed together.
 */
public class RateLimitHeaders implements GuardListener {

	private static final String QUOTAS = RateLimitHeaders.class.getName() + ".quotas";

	@Override
	public void onEvent(GuardEvent event) {
		if (event instanceof RateLimitEvent decided && decided.quota() != null
				&& RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes) {
			HttpServletResponse response = attributes.getResponse();
			if (response != null && !response.isCommitted()) {
				List<Quota> quotas = add(attributes.getRequest(), decided.quota());
				response.setHeader(RateLimitFields.POLICY, RateLimitFields.policy(quotas));
				response.setHeader(RateLimitFields.LIMIT, RateLimitFields.limit(quotas));
			}
		}
	}

	private static List<Quota> add(HttpServletRequest request, Quota quota) {
		List<Quota> quotas = new ArrayList<>();
		if (request.getAttribute(QUOTAS) instanceof List<?> earlier) {
			earlier.forEach((known) -> quotas.add((Quota) known));
		}
		quotas.removeIf((known) -> known.limit().name().equals(quota.limit().name()));
		quotas.add(quota);
		request.setAttribute(QUOTAS, quotas);
		return quotas;
	}

}
