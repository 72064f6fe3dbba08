// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.RedisUnavailableException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeansException;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jwt.DPoPProofContext;
import org.springframework.security.oauth2.jwt.DPoPProofJwtDecoderFactory;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.server.resource.authentication.DPoPAuthenticationProvider;
import org.springframework.security.web.SecurityFilterChain;

/**
 * Lets a {@link DPoPReplayValidator} check every DPoP proof that the validators of a
 * security filter chain have accepted. The chains make their provider themselves, and no
 * version before 7.1 has a store that could be replaced. The provider answers whatever
 * goes wrong with a 401; an outage is taken out of that answer again, so that it is a
 * 503.
 */
public class DPoPPostProcessor implements BeanPostProcessor, SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(DPoPPostProcessor.class);

	private final Queue<ProviderManager> managers = new ConcurrentLinkedQueue<>();

	/** A provider that asked twice about a proof would take it for used. */
	private final Set<DPoPAuthenticationProvider> seen = ConcurrentHashMap.newKeySet();

	private final Supplier<@Nullable DPoPReplayValidator> replays;

	public DPoPPostProcessor(Supplier<@Nullable DPoPReplayValidator> replays) {
		this.replays = replays;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof ProviderManager manager) {
			this.managers.add(manager);
		}
		// Not earlier: a chain adds this provider to its manager when that is made
		// already
		if (bean instanceof SecurityFilterChain) {
			look();
		}
		return bean;
	}

	/**
	 * For managers that are given to a chain; with lazy initialization they may be made
	 * later, and their chain with them.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		look();
	}

	private void look() {
		for (ProviderManager manager : this.managers) {
			List<AuthenticationProvider> providers = manager.getProviders();
			for (int i = 0; i < providers.size(); i++) {
				if (providers.get(i) instanceof DPoPAuthenticationProvider provider && this.seen.add(provider)) {
					check(provider);
					replace(providers, i, new UnavailableProvider(provider));
				}
			}
		}
	}

	private static void replace(List<AuthenticationProvider> providers, int index, AuthenticationProvider provider) {
		try {
			providers.set(index, provider);
		}
		catch (UnsupportedOperationException ex) {
			logger.warn("The providers of a ProviderManager cannot be changed: while Redis is unavailable, "
					+ "DPoP proofs get a 401");
		}
	}

	private void check(DPoPAuthenticationProvider provider) {
		try {
			Object factory = new DirectFieldAccessor(provider).getPropertyValue("dPoPProofVerifierFactory");
			if (factory instanceof DPoPProofJwtDecoderFactory decoders) {
				decoders.setJwtValidatorFactory(withReplays(decoders));
			}
			else {
				logger
					.warn("The validators of a JwtDecoderFactory<DPoPProofContext> of the application cannot be seen: "
							+ "unless they include a DPoPReplayValidator, each instance checks proofs for itself");
			}
		}
		catch (BeansException ex) {
			logger.warn("The validators of DPoP proofs cannot be seen: proofs are checked by each instance for itself",
					ex);
		}
	}

	@SuppressWarnings("unchecked")
	private Function<DPoPProofContext, OAuth2TokenValidator<Jwt>> withReplays(DPoPProofJwtDecoderFactory decoders) {
		Object present = new DirectFieldAccessor(decoders).getPropertyValue("jwtValidatorFactory");
		Function<DPoPProofContext, OAuth2TokenValidator<Jwt>> others = (present instanceof Function<?, ?>)
				? (Function<DPoPProofContext, OAuth2TokenValidator<Jwt>>) present
				: DPoPProofJwtDecoderFactory.DEFAULT_JWT_VALIDATOR_FACTORY;
		return (context) -> {
			OAuth2TokenValidator<Jwt> first = others.apply(context);
			return (proof) -> {
				OAuth2TokenValidatorResult result = first.validate(proof);
				DPoPReplayValidator replays = this.replays.get();
				return (replays == null || result.hasErrors()) ? result : replays.validate(proof);
			};
		};
	}

	private record UnavailableProvider(DPoPAuthenticationProvider delegate) implements AuthenticationProvider {

		@Override
		public @Nullable Authentication authenticate(Authentication authentication) {
			try {
				return this.delegate.authenticate(authentication);
			}
			catch (OAuth2AuthenticationException ex) {
				for (Throwable cause = ex.getCause(); cause != null; cause = cause.getCause()) {
					if (cause instanceof RedisUnavailableException) {
						throw new AuthenticationServiceException(String.valueOf(cause.getMessage()), cause);
					}
				}
				throw ex;
			}
		}

		@Override
		public boolean supports(Class<?> authentication) {
			return this.delegate.supports(authentication);
		}

	}

}
