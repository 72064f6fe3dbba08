// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.util.function.Supplier;

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
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jwt.DPoPProofContext;
import org.springframework.security.oauth2.jwt.DPoPProofJwtDecoderFactory;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.server.resource.authentication.DPoPAuthenticationProvider;
import org.springframework.util.ClassUtils;

/**
 * Adds a {@link DPoPReplayValidator} behind Spring Security's validators of DPoP proofs,
 * in every security filter chain that accepts them. A decoder factory that the
 * application sets by an {@link ObjectPostProcessor} takes precedence. Before Spring
 * Security 7.1 a chain offers no way to do this. One warning says so, once the use of the
 * blacklist is known.
 */
public final class DPoPReplayConfigurer implements Customizer<HttpSecurity>, SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(DPoPReplayConfigurer.class);

	private final Supplier<@Nullable DPoPReplayValidator> replays;

	private final boolean configurable;

	private volatile boolean unchecked;

	private volatile boolean started;

	/**
	 * Creates a configurer.
	 * @param replays the validator, asked for with each proof; {@code null} as long as
	 * none is to be checked
	 */
	public DPoPReplayConfigurer(Supplier<@Nullable DPoPReplayValidator> replays) {
		this(replays, ClassUtils.isPresent(OAuth2ResourceServerConfigurer.class.getName() + "$DPoPConfigurer",
				DPoPReplayConfigurer.class.getClassLoader()));
	}

	DPoPReplayConfigurer(Supplier<@Nullable DPoPReplayValidator> replays, boolean configurable) {
		this.replays = replays;
		this.configurable = configurable;
	}

	@Override
	public void customize(HttpSecurity http) {
		http.with(new Chain(), Customizer.withDefaults());
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

	private final class Chain extends AbstractHttpConfigurer<Chain, HttpSecurity> {

		@Override
		@SuppressWarnings("unchecked")
		public void init(HttpSecurity http) {
			OAuth2ResourceServerConfigurer<?> server = http.getConfigurer(OAuth2ResourceServerConfigurer.class);
			if (server != null && DPoPReplayConfigurer.this.configurable) {
				server.addObjectPostProcessor(new Proofs());
			}
			else if (server != null) {
				DPoPReplayConfigurer.this.unchecked = true;
				warn();
			}
		}

	}

	private final class Proofs implements ObjectPostProcessor<DPoPAuthenticationProvider>, Ordered {

		@Override
		public int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE;
		}

		@Override
		public <O extends DPoPAuthenticationProvider> O postProcess(O provider) {
			DPoPProofJwtDecoderFactory proofs = new DPoPProofJwtDecoderFactory();
			proofs.setJwtValidatorFactory(DPoPReplayConfigurer.this::validator);
			provider.setDPoPProofVerifierFactory(proofs);
			return provider;
		}

	}

}
