/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.problem;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.ge.redis.GeRedisException;
import io.ge.redis.Refusal;
import io.ge.redis.web.RefusalCustomizer;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponse;

/**
 * A refusal as it is answered over HTTP, the same on every web stack.
 */
record Problem(ProblemDetail detail, HttpHeaders headers) {

	/**
	 * Returns the problem, {@code null} if the exception is no refusal.
	 */
	static @Nullable Problem of(GeRedisException exception, List<RefusalCustomizer> customizers,
			List<ErrorResponse.Interceptor> interceptors, String path) {
		Refusal refusal = exception.refusal();
		if (refusal == null) {
			return null;
		}
		for (RefusalCustomizer customizer : customizers) {
			refusal = customizer.customize(exception, refusal);
		}
		ProblemDetail detail = ProblemDetail.forStatus(refusal.status());
		detail.setType(refusal.type());
		detail.setTitle(refusal.title());
		detail.setDetail(refusal.detail());
		detail.setInstance(instance(path));
		refusal.members().forEach(detail::setProperty);
		interceptors.forEach((interceptor) -> interceptor.handleError(detail, null));
		HttpHeaders headers = new HttpHeaders();
		refusal.headers().forEach(headers::set);
		if (refusal.retryAfter() != null) {
			headers.set(HttpHeaders.RETRY_AFTER, Long.toString(Math.max(1, ceilSeconds(refusal.retryAfter()))));
		}
		return new Problem(detail, headers);
	}

	// A server may let paths through that are no URI; the member is optional
	private static @Nullable URI instance(String path) {
		try {
			return new URI(path);
		}
		catch (URISyntaxException ex) {
			return null;
		}
	}

	private static long ceilSeconds(Duration duration) {
		return duration.plusNanos(999_999_999).toSeconds();
	}

	Map<String, Object> members() {
		Map<String, Object> members = new LinkedHashMap<>();
		members.put("type", String.valueOf(this.detail.getType()));
		put(members, "title", this.detail.getTitle());
		members.put("status", this.detail.getStatus());
		put(members, "detail", this.detail.getDetail());
		put(members, "instance", this.detail.getInstance());
		if (this.detail.getProperties() != null) {
			members.putAll(this.detail.getProperties());
		}
		return members;
	}

	private static void put(Map<String, Object> members, String name, @Nullable Object value) {
		if (value != null) {
			members.put(name, value.toString());
		}
	}

}
