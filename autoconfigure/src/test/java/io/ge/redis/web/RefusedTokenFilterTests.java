/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.io.IOException;
import java.util.List;

import io.ge.redis.blacklist.TokenStatus;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RefusedTokenFilter}.
 */
class RefusedTokenFilterTests {

	private final RefusedTokenFilter filter = new RefusedTokenFilter(
			new ProblemWriter(List.of(), List.of(), List.of(), JsonMapper.builder().build()));

	private final MockHttpServletRequest request = new MockHttpServletRequest("GET", "/me");

	@Test
	void bareRefusalGetsItsBodyAndKeepsItsChallenge() throws Exception {
		this.request.setAttribute(TokenStatus.class.getName(), TokenStatus.SUBJECT_REVOKED);
		MockHttpServletResponse response = answer((sent) -> {
			sent.setHeader("WWW-Authenticate", "Bearer realm=\"mine\"");
			sent.setStatus(401);
		});
		assertThat(response.getStatus()).isEqualTo(401);
		assertThat(response.getHeaders("WWW-Authenticate")).containsExactly("Bearer realm=\"mine\"");
		assertThat(response.getContentType()).isEqualTo("application/problem+json");
		assertThat(response.getContentAsString()).contains("token-revoked", "All tokens of the subject were revoked");
	}

	@Test
	void refusalWithoutChallengeGetsOne() throws Exception {
		this.request.setAttribute(TokenStatus.class.getName(), TokenStatus.REVOKED);
		MockHttpServletResponse response = answer((sent) -> sent.setStatus(401));
		assertThat(response.getHeader("WWW-Authenticate")).contains("error=\"invalid_token\"");
	}

	@Test
	void bodyOfTheApplicationIsLeft() throws Exception {
		this.request.setAttribute(TokenStatus.class.getName(), TokenStatus.REVOKED);
		MockHttpServletResponse response = answer((sent) -> {
			sent.setStatus(401);
			sent.setContentType("text/plain");
			sent.getWriter().write("mine");
		});
		assertThat(response.getContentAsString()).isEqualTo("mine");
	}

	@Test
	void otherAnswersAreLeft() throws Exception {
		assertThat(answer((sent) -> sent.setStatus(401)).getContentAsString()).isEmpty();
		this.request.setAttribute(TokenStatus.class.getName(), TokenStatus.REVOKED);
		assertThat(answer((sent) -> sent.setStatus(200)).getContentAsString()).isEmpty();
		assertThat(answer((sent) -> sent.sendError(401)).getContentAsString()).isEmpty();
	}

	private MockHttpServletResponse answer(Answer answer) throws Exception {
		MockHttpServletResponse response = new MockHttpServletResponse();
		this.filter.doFilter(this.request, response, (request, sent) -> answer.send((HttpServletResponse) sent));
		return response;
	}

	@FunctionalInterface
	private interface Answer {

		void send(HttpServletResponse response) throws IOException;

	}

}
