// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

import io.ge.redis.breaker.CircuitOpenException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.http.HttpStatus;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Exceptions that count as failures of the called service.
 */
class FailureRuleTests {

	@ParameterizedTest
	@MethodSource
	void countsByDefault(Throwable thrown, boolean isFailure) {
		assertThat(FailureRule.DEFAULT.isFailure(thrown)).isEqualTo(isFailure);
	}

	static Stream<Arguments> countsByDefault() {
		return Stream.of(arguments(new IllegalStateException(), true), arguments(new IOException(), true),
				arguments(new CompletionException(new IOException()), true),
				arguments(new CancellationException(), false),
				arguments(new CircuitOpenException("inner", Duration.ZERO), false),
				arguments(new HttpClientErrorException(HttpStatus.NOT_FOUND), false),
				arguments(new HttpClientErrorException(HttpStatus.REQUEST_TIMEOUT), true),
				arguments(new HttpClientErrorException(HttpStatus.TOO_EARLY), true),
				arguments(new HttpClientErrorException(HttpStatus.TOO_MANY_REQUESTS), true),
				arguments(new HttpServerErrorException(HttpStatus.BAD_GATEWAY), true));
	}

	@Test
	void recordsOnlyAndIgnoresWhatItIsTold() {
		FailureRule rule = new FailureRule(List.of(RuntimeException.class), List.of(UncheckedIOException.class));
		assertThat(rule.isFailure(new IllegalStateException())).isTrue();
		assertThat(rule.isFailure(new IOException())).isFalse();
		assertThat(rule.isFailure(new UncheckedIOException(new IOException()))).isFalse();
	}

}
