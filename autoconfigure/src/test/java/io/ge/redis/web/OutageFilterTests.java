/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.io.IOException;
import java.util.List;

import io.ge.redis.core.outage.RedisUnavailableException;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link OutageFilter}.
 */
class OutageFilterTests {

	private final OutageFilter filter = new OutageFilter(
			new ProblemWriter(List.of(), List.of(), List.of(), JsonMapper.shared()));

	private final MockHttpServletRequest request = new MockHttpServletRequest("GET", "/api/me");

	private final MockHttpServletResponse response = new MockHttpServletResponse();

	private final RedisUnavailableException outage = mock(RedisUnavailableException.class);

	@Test
	void answersOutageBelowOtherExceptions() throws Exception {
		given(this.outage.refusal()).willCallRealMethod();
		given(this.outage.retryAfter()).willCallRealMethod();
		this.filter.doFilter(this.request, this.response, (request, response) -> {
			response.getWriter().write("half an answer");
			throw new ServletException(new IllegalStateException(this.outage));
		});
		assertThat(this.response.getStatus()).isEqualTo(503);
		assertThat(this.response.getHeader("Retry-After")).isEqualTo("1");
		assertThat(this.response.getContentType()).isEqualTo("application/problem+json");
		assertThat(JsonMapper.shared().readTree(this.response.getContentAsByteArray()).get("type").asString())
			.isEqualTo("https://iana.org/assignments/http-problem-types#temporary-reduced-capacity");
	}

	@Test
	void leavesOtherFailuresAndCommittedResponsesAlone() {
		RuntimeException other = new IllegalStateException("other");
		assertRethrown(other, (request, response) -> {
			throw other;
		});
		RuntimeException late = new IllegalStateException(this.outage);
		assertRethrown(late, (request, response) -> {
			response.flushBuffer();
			throw late;
		});
		assertThat(this.response.getStatus()).isEqualTo(200);
	}

	@Test
	void leavesAnswersAlone() throws IOException, ServletException {
		this.filter.doFilter(this.request, this.response, (request, response) -> response.getWriter().write("ok"));
		assertThat(this.response.getContentAsString()).isEqualTo("ok");
	}

	private void assertRethrown(Throwable failure, FilterChain chain) {
		assertThatThrownBy(() -> this.filter.doFilter(this.request, this.response, chain)).isSameAs(failure);
	}

}
