// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.text.ParseException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.JWK;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.blacklist.UsedIds;
import org.jspecify.annotations.Nullable;

import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2ErrorCodes;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.util.StringUtils;

/**
 * Accepts every DPoP proof once, on whatever instance it is presented (RFC 9449, 11.1).
 * Spring Security's own check knows only the proofs that the same instance has seen. A
 * proof is known by its {@code jti} and the key that signed it, so that clients cannot
 * use up each other's.
 * <p>
 * Cost: one script call for each proof.
 */
public class DPoPReplayValidator implements OAuth2TokenValidator<Jwt> {

	private static final String KIND = "dpop";

	private final Supplier<UsedIds> used;

	private final Duration remembered;

	/**
	 * Creates a validator.
	 * @param used remembers the proofs, asked for at the first one
	 * @param remembered the time to remember a proof, at least as long as any instance
	 * accepts it after another
	 */
	public DPoPReplayValidator(Supplier<UsedIds> used, Duration remembered) {
		this.used = used;
		this.remembered = remembered;
	}

	@Override
	public OAuth2TokenValidatorResult validate(Jwt proof) {
		String id = proof.getId();
		if (!StringUtils.hasText(id)) {
			return failure("jti claim is required.");
		}
		String key = thumbprint(proof);
		if (key == null) {
			return failure("jwk header is missing or invalid.");
		}
		try {
			return this.used.get().use(KIND, key + '.' + id, this.remembered) ? OAuth2TokenValidatorResult.success()
					: failure("jti claim is invalid.");
		}
		catch (RedisUnavailableException ex) {
			// Spring Security answers 401 to every failure
			RefusedTokens.note(ex);
			throw new JwtException("Whether the proof was used before is not known at present", ex);
		}
	}

	private static @Nullable String thumbprint(Jwt proof) {
		if (!(proof.getHeaders().get("jwk") instanceof Map<?, ?> members)) {
			return null;
		}
		Map<String, Object> key = new HashMap<>();
		members.forEach((name, value) -> key.put(String.valueOf(name), value));
		try {
			return JWK.parse(key).computeThumbprint().toString();
		}
		catch (ParseException | JOSEException ex) {
			return null;
		}
	}

	private static OAuth2TokenValidatorResult failure(String description) {
		return OAuth2TokenValidatorResult
			.failure(new OAuth2Error(OAuth2ErrorCodes.INVALID_DPOP_PROOF, description, null));
	}

}
