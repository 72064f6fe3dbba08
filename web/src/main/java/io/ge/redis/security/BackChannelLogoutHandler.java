// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.util.function.Supplier;

import io.ge.redis.blacklist.TokenBlacklist;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.core.ClaimAccessor;
import org.springframework.security.web.authentication.logout.LogoutHandler;

/**
 * Ends access tokens when an OpenID provider announces a logout. Spring Security's
 * endpoint for that validates the logout token and hands it over; its own handler ends
 * sessions of the browser, this one what resource servers accept:
 * {@code http.oidcLogout((logout) -> logout.backChannel((channel) ->
 * channel.logoutHandler(new CompositeLogoutHandler(...))))}.
 * <p>
 * While Redis is unavailable the handler fails, so that the answer is a 503 and the
 * provider tries again.
 */
public class BackChannelLogoutHandler implements LogoutHandler {

	private final Supplier<TokenBlacklist> blacklist;

	/**
	 * Creates a handler.
	 * @param blacklist where tokens are revoked, asked for at the first logout
	 */
	public BackChannelLogoutHandler(Supplier<TokenBlacklist> blacklist) {
		this.blacklist = blacklist;
	}

	/**
	 * Revokes what a logout token is about. One that names no session or user, such as by
	 * a blank {@code sid}, is answered with 400.
	 * @param authentication has the logout token as its principal; others are ignored
	 */
	@Override
	public void logout(HttpServletRequest request, HttpServletResponse response,
			@Nullable Authentication authentication) {
		if (authentication != null && authentication.getPrincipal() instanceof ClaimAccessor logoutToken
				&& logoutToken.getClaims().containsKey("events")) {
			try {
				LogoutTokens.revoke(this.blacklist.get(), logoutToken);
			}
			catch (IllegalArgumentException ex) {
				response.setStatus(HttpServletResponse.SC_BAD_REQUEST);
			}
		}
	}

}
