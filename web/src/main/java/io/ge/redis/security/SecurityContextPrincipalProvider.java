// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import io.ge.redis.PrincipalProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * Names the user that Spring Security has authenticated on the current thread.
 */
public class SecurityContextPrincipalProvider implements PrincipalProvider {

	@Override
	public @Nullable String currentPrincipal() {
		Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
		if (authentication == null || !authentication.isAuthenticated()
				|| authentication instanceof AnonymousAuthenticationToken) {
			return null;
		}
		return PrincipalProvider.nameOf(authentication);
	}

}
