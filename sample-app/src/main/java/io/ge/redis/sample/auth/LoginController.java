// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.auth;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.blacklist.refresh.RefreshTokens;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
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

	private static final Log logger = LogFactory.getLog(LoginController.class);

	private final AuthenticationManager authentication;

	private final RefreshTokens refreshTokens;

	private final TokenIssuer tokens;

	LoginController(AuthenticationManager authentication, RefreshTokens refreshTokens, TokenIssuer tokens) {
		this.authentication = authentication;
		this.refreshTokens = refreshTokens;
		this.tokens = tokens;
	}

	/**
	 * The second path is for the guesses of the live page. It has a limit of its own in
	 * {@code application.yml}, so that they do not use up the logins of the page.
	 */
	@PostMapping({ "/api/auth/login", "/api/live/login" })
	IssuedTokens login(@RequestBody Login login) {
		try {
			this.authentication
				.authenticate(UsernamePasswordAuthenticationToken.unauthenticated(login.username(), login.password()));
		}
		catch (AuthenticationException ex) {
			throw new ResponseStatusException(HttpStatus.UNAUTHORIZED, "Unknown user or wrong password", ex);
		}
		return tokens(login.username());
	}

	/**
	 * Without Redis nobody is kept out, but the login does not last.
	 */
	private IssuedTokens tokens(String username) {
		try {
			return this.tokens.issue(this.refreshTokens.issue(JwtConfiguration.ISSUER, username));
		}
		catch (RedisUnavailableException ex) {
			logger.debug("Issued an access token without a session", ex);
			return this.tokens.issueWithoutSession(username);
		}
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
