// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.auth;

import java.time.Instant;

import io.ge.redis.blacklist.BlacklistCheck;
import org.jspecify.annotations.Nullable;

import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Tells callers what their token says.
 */
@RestController
class MeController {

	/**
	 * Without an expression the annotation looks at the caller's token. The decoder has
	 * done so already, since all paths of the desk are behind it; the annotation is for
	 * methods that are not.
	 */
	@GetMapping("/api/me")
	@BlacklistCheck
	Me me(@AuthenticationPrincipal Jwt token) {
		return new Me(token.getSubject(), token.getId(), token.getExpiresAt());
	}

	record Me(@Nullable String subject, @Nullable String jti, @Nullable Instant expiresAt) {

	}

}
