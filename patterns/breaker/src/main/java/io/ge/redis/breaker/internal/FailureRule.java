// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;

import io.ge.redis.GeRedisException;
import io.ge.redis.core.outage.Waiting;

import org.springframework.util.ReflectionUtils;

/**
 * Decides whether an exception is a failure of the called service. Client errors are
 * known by the names of Spring's classes, so that none of them has to be present.
 *
 * @param recorded the only failures, or empty for all but the ignored
 */
record FailureRule(List<Class<? extends Throwable>> recorded, List<Class<? extends Throwable>> ignored) {

	static final FailureRule DEFAULT = new FailureRule(List.of(), List.of());

	private static final Set<String> CLIENT_ERRORS = Set.of("org.springframework.web.client.HttpClientErrorException",
			"org.springframework.web.reactive.function.client.WebClientResponseException");

	/** Request timeout, too early, too many requests. */
	private static final Set<Integer> FAILURES = Set.of(408, 425, 429);

	boolean isFailure(Throwable thrown) {
		Throwable failure = Waiting.cause(thrown);
		if (failure instanceof GeRedisException || failure instanceof CancellationException
				|| isAny(this.ignored, failure)) {
			return false;
		}
		return this.recorded.isEmpty() ? !isClientError(failure) : isAny(this.recorded, failure);
	}

	private static boolean isAny(List<Class<? extends Throwable>> types, Throwable failure) {
		return types.stream().anyMatch((type) -> type.isInstance(failure));
	}

	private static boolean isClientError(Throwable failure) {
		for (Class<?> type = failure.getClass(); type != Throwable.class; type = type.getSuperclass()) {
			if (CLIENT_ERRORS.contains(type.getName())) {
				Method getter = Objects.requireNonNull(ReflectionUtils.findMethod(type, "getStatusCode"));
				Object status = ReflectionUtils.invokeMethod(getter, failure);
				int code = Integer.parseInt(String.valueOf(status).substring(0, 3));
				return code / 100 == 4 && !FAILURES.contains(code);
			}
		}
		return false;
	}

}
