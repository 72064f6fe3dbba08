// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenStatus;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.JwtValidationException;
import org.springframework.security.oauth2.jwt.ReactiveJwtDecoder;

/**
 * Refuses revoked JWTs after another decoder has accepted them. Wrapped around every bean
 * of this kind in a reactive web application, where a {@link BlacklistTokenValidator}
 * would have to wait for Redis on the event loop.
 * <p>
 * A revoked token is an {@code invalid_token}, so Spring Security answers 401. While
 * Redis is unavailable and the policy is to deny, the decoder fails instead. The answer
 * is then a 503, and clients keep their tokens.
 * <p>
 * Cost: as {@link TokenBlacklist#checkAsync}, for each token that was accepted.
 */
public class BlacklistReactiveJwtDecoder implements ReactiveJwtDecoder {

	private final ReactiveJwtDecoder delegate;

	private final ReactiveTokenChecks checks;

	/**
	 * Creates a decoder.
	 * @param delegate decodes and verifies
	 * @param blacklist where the tokens are checked, asked for with each token;
	 * {@code null} as long as none is to be checked
	 */
	public BlacklistReactiveJwtDecoder(ReactiveJwtDecoder delegate, Supplier<@Nullable TokenBlacklist> blacklist) {
		this.delegate = delegate;
		this.checks = new ReactiveTokenChecks(blacklist);
	}

	@Override
	public Mono<Jwt> decode(String token) {
		return this.delegate.decode(token)
			.flatMap((jwt) -> this.checks.pass(jwt, () -> JwtTokens.identity(jwt), BlacklistReactiveJwtDecoder::refusal,
					// Not a BadJwtException, which would be a 401
					(ex) -> new JwtException("Whether the token was revoked is not known at present", ex)));
	}

	private static JwtValidationException refusal(TokenStatus status) {
		return new JwtValidationException(status.description(), List.of(RefusedTokens.error(status)));
	}

}
