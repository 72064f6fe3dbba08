// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.util.function.Supplier;

import io.ge.redis.blacklist.TokenBlacklist;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.server.resource.introspection.BadOpaqueTokenException;
import org.springframework.security.oauth2.server.resource.introspection.OAuth2IntrospectionException;
import org.springframework.security.oauth2.server.resource.introspection.ReactiveOpaqueTokenIntrospector;

/**
 * Refuses revoked opaque tokens after another introspector has found them active, as
 * {@link BlacklistOpaqueTokenIntrospector}, without blocking the event loop.
 */
public class BlacklistReactiveOpaqueTokenIntrospector implements ReactiveOpaqueTokenIntrospector {

	private final ReactiveOpaqueTokenIntrospector delegate;

	private final ReactiveTokenChecks checks;

	private final Supplier<OpaqueTokens> tokens;

	/**
	 * Creates an introspector.
	 * @param delegate asks the authorization server
	 * @param blacklist where the tokens are checked, asked for with each token;
	 * {@code null} as long as none is to be checked
	 * @param tokens knows what the tokens are, asked for at the first token
	 */
	public BlacklistReactiveOpaqueTokenIntrospector(ReactiveOpaqueTokenIntrospector delegate,
			Supplier<@Nullable TokenBlacklist> blacklist, Supplier<OpaqueTokens> tokens) {
		this.delegate = delegate;
		this.tokens = tokens;
		this.checks = new ReactiveTokenChecks(blacklist);
	}

	@Override
	public Mono<OAuth2AuthenticatedPrincipal> introspect(String token) {
		return this.delegate.introspect(token)
			.flatMap((principal) -> this.checks.pass(principal, () -> this.tokens.get().identity(token, principal),
					(status) -> new BadOpaqueTokenException(status.description()),
					// Not a BadOpaqueTokenException, which would be a 401
					(ex) -> new OAuth2IntrospectionException("Whether the token was revoked is not known at present",
							ex)));
	}

}
