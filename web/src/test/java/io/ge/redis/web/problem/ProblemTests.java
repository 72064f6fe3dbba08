// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.problem;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import io.ge.redis.GeRedisException;
import io.ge.redis.GuardConfigurationException;
import io.ge.redis.InvalidKeyException;
import io.ge.redis.blacklist.SubjectBlockedException;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.lock.LockNotAcquiredException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpHeaders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests for {@link Problems.Problem}.
 */
@ExtendWith(OutputCaptureExtension.class)
class ProblemTests {

	@Test
	void retryAfterIsNeverEarly() {
		assertThat(retryAfter(Duration.ofMillis(1))).isEqualTo("1");
		assertThat(retryAfter(Duration.ofMillis(2001))).isEqualTo("3");
		assertThat(retryAfter(Duration.ofSeconds(2))).isEqualTo("2");
		assertThat(retryAfter(null)).isNull();
	}

	private static String retryAfter(Duration wait) {
		return Problems.Problem.of(new LockNotAcquiredException("orders", wait), List.of(), List.of(), "/orders")
			.headers()
			.getFirst(HttpHeaders.RETRY_AFTER);
	}

	@Test
	void customizersFollowEachOther() {
		Problems.Problem problem = Problems.Problem.of(new SubjectBlockedException("banned"),
				List.of((exception, refusal) -> refusal.withStatus(451).withHeader("Link", "<a>"), (exception,
						refusal) -> refusal.withMember("status-before", refusal.status()).withHeader("X-Other", "b")),
				List.of(), "/orders");
		assertThat(problem.members()).containsEntry("status", 451)
			.containsEntry("status-before", 451)
			.containsEntry("type", "urn:ge-redis:problem:subject-blocked");
		assertThat(problem.headers().headerSet()).extracting((header) -> header.getKey() + ": " + header.getValue())
			.containsExactlyInAnyOrder("Link: [<a>]", "X-Other: [b]");
	}

	@Test
	void missingKeyIsLoggedOncePerExpression(CapturedOutput output) {
		for (Object value : Arrays.asList(null, "", List.of(), null)) {
			for (String method : List.of("Desk.buy(String)", "Desk.sell(String)")) {
				GeRedisException missing = catchThrowableOfType(InvalidKeyException.class,
						() -> KeyText.of(value, "The expression key = \"#id\" of @RateLimited on " + method));
				assertThat(Problems.Problem.of(missing, List.of(), List.of(), "/orders").detail().getStatus())
					.isEqualTo(400);
			}
		}
		assertThat(output.toString())
			.containsOnlyOnce(
					"400: The expression key = \"#id\" of @RateLimited on Desk.buy(String) evaluated to null.")
			.containsOnlyOnce("of @RateLimited on Desk.sell(String) evaluated to null. Logged once per expression");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "text/html | true", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8 | true",
					"text/html;q=0.1, image/png | true", "text/html;charset=utf-8 | true", "'' | false", "*/* | false",
					"text/* | false", "text/plain | false", "text/html;q=0 | false", "application/json | false",
					"text/html, application/json;q=0.5 | false", "application/problem+json, text/html | false",
					"text/html, application/* | false", "text/html, what? | false" })
	void aPageIsForClientsThatAskForHtmlAndNotForJson(String accept, boolean page) {
		assertThat(Problems.Problem.isPageWanted(accept.isEmpty() ? List.of() : List.of(accept))).isEqualTo(page);
	}

	@Test
	void failureThatRefusesNoCallIsNoProblem() {
		assertThat(Problems.Problem.of(new GuardConfigurationException("place", "wrong", "right"),
				List.of((exception, refusal) -> refusal.withStatus(200)), List.of(), "/orders"))
			.isNull();
	}

}
