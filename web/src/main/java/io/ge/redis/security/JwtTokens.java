// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.time.Duration;
import java.time.Instant;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenReader;
import org.jspecify.annotations.Nullable;

import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.core.ClaimAccessor;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimNames;

/**
 * Reads the claims of JWTs for the blacklist: of one that is given, or that stands behind
 * a given authentication.
 */
public class JwtTokens implements TokenReader {

	/**
	 * Returns the identity of a decoded JWT, for revoking it in code.
	 * @param jwt the JWT
	 * @return its identity
	 */
	public static TokenIdentity identity(Jwt jwt) {
		Object stamp = jwt.getClaim(TokenBlacklist.ISSUE_STAMP_CLAIM);
		return new TokenIdentity(jwt.getClaimAsString(JwtClaimNames.ISS), jwt.getId(), jwt.getSubject(), issuedAt(jwt),
				jwt.getExpiresAt(), (stamp instanceof Number number) ? number.longValue() : null, text(jwt, "sid"),
				clientId(jwt));
	}

	// RFC 9068 says client_id, OpenID Connect azp
	private static @Nullable String clientId(Jwt jwt) {
		String clientId = text(jwt, "client_id");
		return (clientId != null) ? clientId : text(jwt, "azp");
	}

	// Reads claims like those of logout tokens and introspections: a session must have
	// one name
	static @Nullable String text(ClaimAccessor token, String claim) {
		Object value = token.getClaims().get(claim);
		return (value != null) ? value.toString() : null;
	}

	// For a JWT without iat, Spring Security makes up one that lies a second before its
	// expiry. Taken at its word, no revocation of a subject would ever be later.
	static @Nullable Instant issuedAt(Jwt jwt) {
		Instant issuedAt = jwt.getIssuedAt();
		boolean madeUp = issuedAt != null && jwt.getExpiresAt() != null
				&& Duration.between(issuedAt, jwt.getExpiresAt()).equals(Duration.ofSeconds(1));
		return madeUp ? null : issuedAt;
	}

	@Override
	public @Nullable TokenIdentity read(Object token) {
		if (token instanceof Jwt jwt) {
			return identity(jwt);
		}
		if (token instanceof Authentication authentication) {
			if (authentication.getPrincipal() instanceof Jwt jwt) {
				return identity(jwt);
			}
			if (authentication.getCredentials() instanceof Jwt jwt) {
				return identity(jwt);
			}
		}
		return null;
	}

}
