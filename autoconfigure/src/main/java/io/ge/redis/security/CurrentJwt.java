/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.security;

import io.ge.redis.blacklist.CurrentToken;
import io.ge.redis.blacklist.TokenIdentity;
import org.jspecify.annotations.Nullable;

import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * The JWT of the caller in Spring Security's context.
 */
public class CurrentJwt implements CurrentToken {

	private static final TokenIdentity OTHER_CREDENTIALS = new TokenIdentity(null, null, null, null, null, null);

	private final JwtTokens tokens = new JwtTokens();

	@Override
	public @Nullable TokenIdentity currentToken() {
		Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
		if (authentication == null) {
			return null;
		}
		TokenIdentity identity = this.tokens.read(authentication);
		if (identity != null) {
			return identity;
		}
		boolean stranger = !authentication.isAuthenticated() || authentication instanceof AnonymousAuthenticationToken;
		return stranger ? null : OTHER_CREDENTIALS;
	}

}
