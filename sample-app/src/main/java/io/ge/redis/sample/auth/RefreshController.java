// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.auth;

import io.ge.redis.blacklist.refresh.RefreshTokens;
import io.ge.redis.blacklist.refresh.Rotation;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Exchanges a refresh token for new tokens. A browser with ten tabs may ask ten times at
 * once, and a client whose answer got lost may ask again: all get the same refresh token.
 * Who comes with an old one ends the session.
 */
@RestController
class RefreshController {

	private final RefreshTokens refreshTokens;

	private final TokenIssuer tokens;

	RefreshController(RefreshTokens refreshTokens, TokenIssuer tokens) {
		this.refreshTokens = refreshTokens;
		this.tokens = tokens;
	}

	/**
	 * All refusals look alike to the caller, who may be a thief.
	 */
	@PostMapping("/api/auth/refresh")
	IssuedTokens refresh(@RequestBody Refresh refresh) {
		Rotation rotation = this.refreshTokens.rotate(refresh.refreshToken());
		if (rotation instanceof Rotation.Accepted accepted) {
			return this.tokens.issue(accepted.token());
		}
		throw new ResponseStatusException(HttpStatus.UNAUTHORIZED, "The refresh token is not accepted: log in again");
	}

	record Refresh(String refreshToken) {

		Refresh {
			requireText(refreshToken);
		}

		private static void requireText(@Nullable String text) {
			if (text == null || text.isBlank()) {
				throw new IllegalArgumentException("A refresh token is needed");
			}
		}

	}

}
