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
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.ObjectPostProcessor;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.annotation.web.configurers.oauth2.server.resource.OAuth2ResourceServerConfigurer;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2ErrorCodes;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jwt.DPoPProofContext;
import org.springframework.security.oauth2.jwt.DPoPProofJwtDecoderFactory;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.server.resource.authentication.DPoPAuthenticationProvider;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Accepts every DPoP proof once, on whatever instance it is presented (RFC 9449, 11.1).
 * Spring Security's own check knows only the proofs that the same instance has seen. A
 * proof is known by its {@code jti} and the key that signed it, so that clients cannot
 * use up each other's. It is added behind Spring Security's validators in every security
 * filter chain that accepts proofs. A decoder factory that the application sets by an
 * {@link ObjectPostProcessor} takes precedence.
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

	/**
	 * Returns the customizer of security filter chains.
	 * @param replays the validator, asked for with each proof; {@code null} as long as
	 * none is to be checked
	 */
	public static Customizer<HttpSecurity> customizer(Supplier<@Nullable DPoPReplayValidator> replays) {
		return new Chains(replays,
				ClassUtils.isPresent(OAuth2ResourceServerConfigurer.class.getName() + "$DPoPConfigurer",
						DPoPReplayValidator.class.getClassLoader()));
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
			TokenChecks.note(ex);
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

	/**
	 * Before Spring Security 7.1 a chain offers no way to add a validator. One warning
	 * says so, once the use of the blacklist is known.
	 */
	static final class Chains implements Customizer<HttpSecurity>, SmartInitializingSingleton {

		private static final Log logger = LogFactory.getLog(DPoPReplayValidator.class);

		private final Supplier<@Nullable DPoPReplayValidator> replays;

		private final boolean configurable;

		private volatile boolean unchecked;

		private volatile boolean started;

		Chains(Supplier<@Nullable DPoPReplayValidator> replays, boolean configurable) {
			this.replays = replays;
			this.configurable = configurable;
		}

		@Override
		public void customize(HttpSecurity http) {
			http.with(new Chain(this), Customizer.withDefaults());
		}

		@Override
		public void afterSingletonsInstantiated() {
			this.started = true;
			warn();
		}

		private void warn() {
			if (this.unchecked && this.started && this.replays.get() != null) {
				logger.warn("Each instance checks DPoP proofs for itself, since Spring Security is older than 7.1. "
						+ "Update it, or set ge.redis.blacklist.remember-dpop-proofs=false.");
			}
		}

		private OAuth2TokenValidator<Jwt> validator(DPoPProofContext context) {
			OAuth2TokenValidator<Jwt> first = DPoPProofJwtDecoderFactory.DEFAULT_JWT_VALIDATOR_FACTORY.apply(context);
			return (proof) -> {
				OAuth2TokenValidatorResult result = first.validate(proof);
				DPoPReplayValidator used = this.replays.get();
				return (used == null || result.hasErrors()) ? result : used.validate(proof);
			};
		}

	}

	private static final class Chain extends AbstractHttpConfigurer<Chain, HttpSecurity> {

		private final Chains chains;

		Chain(Chains chains) {
			this.chains = chains;
		}

		@Override
		@SuppressWarnings("unchecked")
		public void init(HttpSecurity http) {
			OAuth2ResourceServerConfigurer<?> server = http.getConfigurer(OAuth2ResourceServerConfigurer.class);
			if (server != null && this.chains.configurable) {
				server.addObjectPostProcessor(new Proofs(this.chains));
			}
			else if (server != null) {
				this.chains.unchecked = true;
				this.chains.warn();
			}
		}

	}

	private record Proofs(Chains chains) implements ObjectPostProcessor<DPoPAuthenticationProvider>, Ordered {

		@Override
		public int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE;
		}

		@Override
		public <O extends DPoPAuthenticationProvider> O postProcess(O provider) {
			DPoPProofJwtDecoderFactory proofs = new DPoPProofJwtDecoderFactory();
			proofs.setJwtValidatorFactory(this.chains::validator);
			provider.setDPoPProofVerifierFactory(proofs);
			return provider;
		}

	}

}
