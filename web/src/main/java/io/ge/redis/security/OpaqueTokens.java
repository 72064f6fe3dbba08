// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.time.Instant;
import java.util.Base64;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenReader;
import io.ge.redis.core.hash.Sha256;
import org.jspecify.annotations.Nullable;

import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.core.OAuth2TokenIntrospectionClaimNames;
import org.springframework.security.oauth2.server.resource.authentication.AbstractOAuth2TokenAuthenticationToken;
import org.springframework.util.StringUtils;

/**
 * Identifies opaque tokens by their introspection. Few authorization servers tell a
 * {@code jti}; where there is none, the hash of the token is its id, so that every opaque
 * token can be revoked.
 */
public class OpaqueTokens implements TokenReader {

	/** No {@code jti} is likely to begin like this. */
	private static final String HASHED = "sha-256:";

	private final @Nullable String issuer;

	/**
	 * Creates an instance that knows the issuers only that introspections name.
	 */
	public OpaqueTokens() {
		this(null);
	}

	/**
	 * Creates an instance.
	 * @param issuer the issuer of tokens whose introspection names none, or {@code null}
	 * if they have none
	 */
	public OpaqueTokens(@Nullable String issuer) {
		this.issuer = StringUtils.hasText(issuer) ? issuer : null;
	}

	/**
	 * Returns the identity of an opaque token, for revoking it in code.
	 * @param token the token
	 * @param principal the result of its introspection
	 * @return its identity
	 */
	public TokenIdentity identity(String token, OAuth2AuthenticatedPrincipal principal) {
		Object stamp = principal.getAttribute(TokenBlacklist.ISSUE_STAMP_CLAIM);
		String id = text(principal, OAuth2TokenIntrospectionClaimNames.JTI);
		String clientId = text(principal, OAuth2TokenIntrospectionClaimNames.CLIENT_ID);
		String issuer = text(principal, OAuth2TokenIntrospectionClaimNames.ISS);
		return new TokenIdentity(StringUtils.hasText(issuer) ? issuer : this.issuer,
				StringUtils.hasText(id) ? id : hash(token), text(principal, OAuth2TokenIntrospectionClaimNames.SUB),
				instant(principal, OAuth2TokenIntrospectionClaimNames.IAT),
				instant(principal, OAuth2TokenIntrospectionClaimNames.EXP),
				(stamp instanceof Number number) ? Long.valueOf(number.longValue()) : null, text(principal, "sid"),
				(clientId != null) ? clientId : text(principal, "azp"));
	}

	private static @Nullable String text(OAuth2AuthenticatedPrincipal principal, String name) {
		Object value = principal.getAttribute(name);
		return (value != null) ? value.toString() : null;
	}

	private static @Nullable Instant instant(OAuth2AuthenticatedPrincipal principal, String name) {
		Object value = principal.getAttribute(name);
		if (value instanceof Number seconds) {
			return Instant.ofEpochSecond(seconds.longValue());
		}
		return (value instanceof Instant instant) ? instant : null;
	}

	private static String hash(String token) {
		byte[] hash = Sha256.of(token);
		return HASHED + Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
	}

	@Override
	public @Nullable TokenIdentity read(Object token) {
		if (token instanceof AbstractOAuth2TokenAuthenticationToken<?> authentication
				&& authentication.getPrincipal() instanceof OAuth2AuthenticatedPrincipal principal) {
			return identity(authentication.getToken().getTokenValue(), principal);
		}
		return null;
	}

}
