/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.ge.redis.GeRedisException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.ProblemDetail;

/**
 * What is the same for problems on every web stack.
 */
final class ProblemBody {

	private ProblemBody() {
	}

	static @Nullable Problem map(List<ProblemMapping> mappings, GeRedisException exception) {
		for (ProblemMapping mapping : mappings) {
			Problem problem = mapping.map(exception);
			if (problem != null) {
				return problem;
			}
		}
		return null;
	}

	static Map<String, Object> members(ProblemDetail detail) {
		Map<String, Object> members = new LinkedHashMap<>();
		members.put("type", String.valueOf(detail.getType()));
		put(members, "title", detail.getTitle());
		members.put("status", detail.getStatus());
		put(members, "detail", detail.getDetail());
		put(members, "instance", detail.getInstance());
		if (detail.getProperties() != null) {
			members.putAll(detail.getProperties());
		}
		return members;
	}

	private static void put(Map<String, Object> members, String name, @Nullable Object value) {
		if (value != null) {
			members.put(name, value.toString());
		}
	}

}
