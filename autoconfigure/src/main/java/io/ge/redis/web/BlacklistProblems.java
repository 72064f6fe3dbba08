/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import io.ge.redis.GeRedisException;
import io.ge.redis.blacklist.SubjectBlockedException;
import io.ge.redis.blacklist.TokenRevokedException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/**
 * 401 for revoked tokens, 403 for blocked subjects.
 */
public class BlacklistProblems implements ProblemMapping {

	@Override
	public @Nullable Problem map(GeRedisException exception) {
		if (exception instanceof TokenRevokedException revoked) {
			String description = revoked.status().description();
			return Problem
				.own(HttpStatus.UNAUTHORIZED, "token-revoked", "Token is not accepted any more", description + ".")
				.header(HttpHeaders.WWW_AUTHENTICATE,
						"Bearer error=\"invalid_token\", error_description=\"" + description + "\"");
		}
		if (exception instanceof SubjectBlockedException) {
			return Problem.own(HttpStatus.FORBIDDEN, "subject-blocked", "Blocked",
					"This caller or subject is blocked.");
		}
		return null;
	}

}
