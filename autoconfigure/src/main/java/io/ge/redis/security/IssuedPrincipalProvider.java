/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.security;

import org.jspecify.annotations.Nullable;

import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.core.ClaimAccessor;

/**
 * Names the principal of Spring Security's context and, for principals that carry the
 * claims of a token, who has issued it: a JWT, an introspected token, an OpenID Connect
 * user.
 */
public class IssuedPrincipalProvider extends SecurityContextPrincipalProvider {

	private static final String ISSUER = "iss";

	@Override
	public @Nullable String currentIssuer() {
		Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
		return (authentication != null && authentication.getPrincipal() instanceof ClaimAccessor claims)
				? claims.getClaimAsString(ISSUER) : null;
	}

}
