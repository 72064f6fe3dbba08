/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.problem;

import java.io.IOException;
import java.util.List;

import io.ge.redis.GeRedisException;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenRevokedException;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.core.outage.RedisUnavailableException;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link RefusalFilter}.
 */
class RefusalFilterTests {

	private final RefusalFilter filter = new RefusalFilter(
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

	@Test
	void bareRefusalGetsItsBodyAndKeepsItsChallenge() throws Exception {
		this.request.setAttribute(GeRedisException.class.getName(), revoked(TokenStatus.SUBJECT_REVOKED));
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
		this.request.setAttribute(GeRedisException.class.getName(), revoked(TokenStatus.REVOKED));
		MockHttpServletResponse response = answer((sent) -> sent.setStatus(401));
		assertThat(response.getHeader("WWW-Authenticate")).contains("error=\"invalid_token\"");
	}

	@Test
	void bodyOfTheApplicationIsLeft() throws Exception {
		this.request.setAttribute(GeRedisException.class.getName(), revoked(TokenStatus.REVOKED));
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
		this.request.setAttribute(GeRedisException.class.getName(), revoked(TokenStatus.REVOKED));
		assertThat(answer((sent) -> sent.setStatus(200)).getContentAsString()).isEmpty();
		assertThat(answer((sent) -> sent.sendError(401)).getContentAsString()).isEmpty();
	}

	private static TokenRevokedException revoked(TokenStatus status) {
		return new TokenRevokedException(TokenBlacklist.TOKENS, status);
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
