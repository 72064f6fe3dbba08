// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.ge.redis.ratelimit.Quota;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimitProperties.Headers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RateLimitHeaders}.
 */
class RateLimitHeadersTests {

	private final RateLimitHeaders.OnServlets headers = new RateLimitHeaders.OnServlets(() -> Headers.DRAFT_10);

	private final MockHttpServletRequest request = new MockHttpServletRequest();

	private final MockHttpServletResponse response = new MockHttpServletResponse();

	@AfterEach
	void leaveRequest() {
		RequestContextHolder.resetRequestAttributes();
	}

	@Test
	void laterLimitsJoinEarlierOnesAndReplaceTheirOwn() {
		this.headers.add(List.of(quota("a", 5), quota("b", 3)), this.request, this.response);
		this.headers.add(List.of(quota("a", 4)), this.request, this.response);
		this.headers.add(refused(quota("c", 0)), this.request, this.response);
		assertThat(told()).containsExactly("c=0", "b=3", "a=4");
	}

	@Test
	void refusalJoinsEarlierLimitsOnWebFlux() {
		RateLimitHeaders.OnWebFlux reactive = new RateLimitHeaders.OnWebFlux(() -> Headers.DRAFT_10);
		MockServerWebExchange exchange = MockServerWebExchange.from(MockServerHttpRequest.get("/"));
		reactive.add(List.of(quota("a", 5)), exchange);
		reactive.add(refused(quota("c", 0)), exchange);
		exchange.getResponse().setComplete().block();
		assertThat(exchange.getResponse().getHeaders().get("RateLimit"))
			.containsExactly("\"c\";r=0;t=6, \"a\";r=5;t=6");
	}

	private static RateLimitExceededException refused(Quota quota) {
		return new RateLimitExceededException(
				new RateLimitDecision.Denied(List.of(quota), List.of(quota.limit().name()), Duration.ofSeconds(1)));
	}

	@Test
	void limitsOnTrialAreNotTold() {
		Quota trial = new Quota(RateLimit.of("trial", 10, Duration.ofMinutes(1)).withShadow(true), 0, Duration.ZERO);
		this.headers.add(List.of(trial), this.request, this.response);
		assertThat(this.response.getHeaderNames()).isEmpty();
		this.headers.add(List.of(trial, quota("a", 5)), this.request, this.response);
		assertThat(told()).containsExactly("a=5");
	}

	@Test
	void eventsTellTheCurrentRequest() {
		RateLimitEvent event = new RateLimitEvent("a", RateLimitEvent.Outcome.ALLOWED, RateLimitEvent.Source.REDIS,
				quota("a", 5));
		this.headers.onEvent(event);
		RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(this.request, this.response));
		this.headers.onEvent(event);
		assertThat(told()).containsExactly("a=5");
	}

	@Test
	void committedResponseIsLeftAlone() {
		this.response.setCommitted(true);
		this.headers.add(List.of(quota("a", 5)), this.request, this.response);
		assertThat(this.response.getHeaderNames()).isEmpty();
	}

	private List<String> told() {
		List<String> told = new ArrayList<>();
		for (StructuredFieldList.Item item : StructuredFieldList.parse(this.response.getHeaders("RateLimit"))) {
			told.add(item.name() + "=" + item.number("r"));
		}
		return told;
	}

	private static Quota quota(String name, long remaining) {
		return new Quota(RateLimit.of(name, 10, Duration.ofMinutes(1)), remaining, Duration.ofSeconds(6));
	}

}
