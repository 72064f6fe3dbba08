// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.problem;

import java.io.IOException;
import java.time.Duration;

import io.ge.redis.idempotency.OutcomeUnknownException;
import io.ge.redis.lock.LockNotAcquiredException;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.ApplicationContext;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ProblemResolver}.
 */
class ProblemResolverTests {

	private final ProblemResolver writer = new ProblemResolver(context());

	private final MockHttpServletResponse response = new MockHttpServletResponse();

	@Test
	void answersPathsThatAreNoUri() throws IOException {
		assertThat(write("/agents/a[1]/run").has("instance")).isFalse();
	}

	@Test
	void tellsThePathAsItWasSent() throws IOException {
		assertThat(write("/agents/a%20b/run").get("instance").asString()).isEqualTo("/agents/a%20b/run");
	}

	@Test
	void replacesHalfAnAnswer() throws IOException {
		this.response.getOutputStream().write('{');
		assertThat(write("/agents").get("status").asInt()).isEqualTo(409);
	}

	@Test
	void headersOfTheRefusalReplaceEarlierOnes() throws IOException {
		this.response.setHeader("Retry-After", "1");
		this.writer.write(new LockNotAcquiredException("orders", Duration.ofSeconds(7)), new MockHttpServletRequest(),
				this.response);
		assertThat(this.response.getHeaders("Retry-After")).containsExactly("7");
	}

	private JsonNode write(String path) throws IOException {
		MockHttpServletRequest request = new MockHttpServletRequest("POST", path);
		assertThat(this.writer.write(new OutcomeUnknownException("sell"), request, this.response)).isTrue();
		return JsonMapper.shared().readTree(this.response.getContentAsByteArray());
	}

	private static ApplicationContext context() {
		StaticApplicationContext context = new StaticApplicationContext();
		context.refresh();
		return context;
	}

}
