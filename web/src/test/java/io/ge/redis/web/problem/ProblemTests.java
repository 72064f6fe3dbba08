/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.problem;

import java.time.Duration;
import java.util.List;

import io.ge.redis.blacklist.SubjectBlockedException;
import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.lock.LockNotAcquiredException;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpHeaders;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Problem}.
 */
class ProblemTests {

	@Test
	void retryAfterIsNeverEarly() {
		assertThat(retryAfter(Duration.ofMillis(1))).isEqualTo("1");
		assertThat(retryAfter(Duration.ofMillis(2001))).isEqualTo("3");
		assertThat(retryAfter(Duration.ofSeconds(2))).isEqualTo("2");
		assertThat(retryAfter(null)).isNull();
	}

	private static String retryAfter(Duration wait) {
		return Problem.of(new LockNotAcquiredException("orders", wait), List.of(), List.of(), "/orders")
			.headers()
			.getFirst(HttpHeaders.RETRY_AFTER);
	}

	@Test
	void customizersFollowEachOther() {
		Problem problem = Problem.of(new SubjectBlockedException("banned"),
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
	void failureThatRefusesNoCallIsNoProblem() {
		assertThat(Problem.of(new GuardConfigurationException("place", "wrong", "right"),
				List.of((exception, refusal) -> refusal.withStatus(200)), List.of(), "/orders"))
			.isNull();
	}

}
