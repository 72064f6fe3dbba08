/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.sample.auth;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.AuthenticationException;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Exchanges a password for tokens.
 */
@RestController
class LoginController {

	private final AuthenticationManager authentication;

	private final TokenIssuer tokens;

	LoginController(AuthenticationManager authentication, TokenIssuer tokens) {
		this.authentication = authentication;
		this.tokens = tokens;
	}

	@PostMapping("/api/auth/login")
	IssuedTokens login(@RequestBody Login login) {
		try {
			this.authentication
				.authenticate(UsernamePasswordAuthenticationToken.unauthenticated(login.username(), login.password()));
		}
		catch (AuthenticationException ex) {
			throw new ResponseStatusException(HttpStatus.UNAUTHORIZED, "Unknown user or wrong password", ex);
		}
		return this.tokens.issue(login.username());
	}

	record Login(String username, String password) {

		Login {
			requireText(username);
			requireText(password);
		}

		private static void requireText(@Nullable String text) {
			if (text == null || text.isBlank()) {
				throw new IllegalArgumentException("A username and a password are needed");
			}
		}

	}

}
