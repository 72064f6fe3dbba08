// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.util.function.Supplier;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenStatus;
import org.jspecify.annotations.Nullable;

import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.server.resource.introspection.BadOpaqueTokenException;
import org.springframework.security.oauth2.server.resource.introspection.OAuth2IntrospectionException;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;

/**
 * Refuses revoked opaque tokens after another introspector has found them active. Wrapped
 * around every bean of this kind.
 * <p>
 * A revoked token is an {@code invalid_token}, so Spring Security answers 401. While
 * Redis is unavailable and the policy is to deny, the introspection fails instead. The
 * answer is then a 503, and clients keep their tokens.
 * <p>
 * Cost: as {@link TokenBlacklist#check}, for each token that is active.
 */
public class BlacklistOpaqueTokenIntrospector implements OpaqueTokenIntrospector {

	private final OpaqueTokenIntrospector delegate;

	private final Supplier<@Nullable TokenBlacklist> blacklist;

	private final Supplier<OpaqueTokens> tokens;

	/**
	 * Creates an introspector.
	 * @param delegate asks the authorization server
	 * @param blacklist where the tokens are checked, asked for with each token;
	 * {@code null} as long as none is to be checked
	 * @param tokens knows what the tokens are, asked for at the first token
	 */
	public BlacklistOpaqueTokenIntrospector(OpaqueTokenIntrospector delegate,
			Supplier<@Nullable TokenBlacklist> blacklist, Supplier<OpaqueTokens> tokens) {
		this.delegate = delegate;
		this.tokens = tokens;
		this.blacklist = blacklist;
	}

	@Override
	public OAuth2AuthenticatedPrincipal introspect(String token) {
		OAuth2AuthenticatedPrincipal principal = this.delegate.introspect(token);
		TokenBlacklist blacklist = this.blacklist.get();
		TokenStatus status = (blacklist != null) ? check(blacklist, token, principal) : TokenStatus.CLEAR;
		if (status != TokenStatus.CLEAR) {
			RefusedTokens.note(status);
			throw new BadOpaqueTokenException(status.description());
		}
		return principal;
	}

	private TokenStatus check(TokenBlacklist blacklist, String token, OAuth2AuthenticatedPrincipal principal) {
		try {
			return blacklist.check(this.tokens.get().identity(token, principal));
		}
		catch (RedisUnavailableException ex) {
			// Not a BadOpaqueTokenException, which would be a 401
			throw new OAuth2IntrospectionException("Whether the token was revoked is not known at present", ex);
		}
	}

}
