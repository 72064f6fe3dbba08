// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.problem;

import java.io.IOException;
import java.util.List;

import io.ge.redis.GeRedisException;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenRevokedException;
import io.ge.redis.blacklist.TokenStatus;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.ApplicationContext;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link ProblemResolver.RefusalFilter}.
 */
class RefusalFilterTests {

	private final ProblemResolver.RefusalFilter filter = new ProblemResolver.RefusalFilter(
			new ProblemResolver(context()));

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
	void browserGetsTheProblemWhereItMayNotSeeTheErrorPage() throws Exception {
		List<FilterChain> others = List.of(
				(request, response) -> ((HttpServletResponse) response).sendRedirect("/login"),
				(request, response) -> ((HttpServletResponse) response).sendError(401, "Log in"),
				(request, response) -> ((HttpServletResponse) response).setStatus(403));
		for (FilterChain other : others) {
			MockHttpServletResponse response = page(other);
			assertThat(response.getStatus()).isEqualTo(401);
			assertThat(response.getRedirectedUrl()).isNull();
			assertThat(response.getContentType()).isEqualTo("application/problem+json");
			assertThat(response.getContentAsString()).contains("token-revoked", "\"instance\":\"/api/me\"");
		}
		MockHttpServletResponse response = page((request, answer) -> {
			((HttpServletResponse) answer).setStatus(401);
			answer.setContentType("text/html");
			answer.getWriter().write("page");
		});
		assertThat(response.getContentAsString()).isEqualTo("page");
		RuntimeException broken = new IllegalStateException("broken page");
		assertThatThrownBy(() -> page((request, answer) -> {
			throw broken;
		})).isSameAs(broken);
	}

	// As a server does after sendError
	private MockHttpServletResponse page(FilterChain chain) throws Exception {
		MockHttpServletRequest request = new MockHttpServletRequest("GET", "/api/me");
		request.addHeader("Accept", "text/html,*/*;q=0.8");
		MockHttpServletResponse response = new MockHttpServletResponse();
		new ProblemResolver(context()).write(revoked(TokenStatus.REVOKED), request, response);
		assertThat(response.isCommitted()).isTrue();
		assertThat(response.getContentAsString()).isEmpty();
		MockHttpServletResponse dispatched = new MockHttpServletResponse();
		dispatched.setStatus(response.getStatus());
		request.setDispatcherType(DispatcherType.ERROR);
		request.setRequestURI("/error");
		this.filter.doFilter(request, dispatched, chain);
		return dispatched;
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

	private static ApplicationContext context() {
		StaticApplicationContext context = new StaticApplicationContext();
		context.refresh();
		return context;
	}

}
