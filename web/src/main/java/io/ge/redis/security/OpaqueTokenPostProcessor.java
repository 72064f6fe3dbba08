// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.UncheckedDecoder;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeansException;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.oauth2.server.resource.authentication.OpaqueTokenAuthenticationProvider;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;

/**
 * Puts a {@link BlacklistOpaqueTokenIntrospector} around every
 * {@link OpaqueTokenIntrospector} bean, and reports security filter chains that use
 * another introspector, which would accept revoked tokens.
 */
public class OpaqueTokenPostProcessor implements BeanPostProcessor, SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(OpaqueTokenPostProcessor.class);

	private static final String REMEDY = "Make it a bean, or give the chain a new "
			+ BlacklistOpaqueTokenIntrospector.class.getName() + " around it. If its tokens are checked elsewhere, set "
			+ "ge.redis.blacklist.unchecked-decoder=warn, or ge.redis.blacklist.validate-opaque-tokens=false if none is "
			+ "to be checked where it is introspected.";

	private final Supplier<@Nullable TokenBlacklist> blacklist;

	private final Supplier<OpaqueTokens> tokens;

	private final Supplier<UncheckedDecoder> policy;

	private volatile boolean bypassed;

	private volatile boolean started;

	public OpaqueTokenPostProcessor(Supplier<@Nullable TokenBlacklist> blacklist, Supplier<OpaqueTokens> tokens,
			Supplier<UncheckedDecoder> policy) {
		this.blacklist = blacklist;
		this.tokens = tokens;
		this.policy = policy;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof OpaqueTokenIntrospector introspector
				&& !(bean instanceof BlacklistOpaqueTokenIntrospector)) {
			return new BlacklistOpaqueTokenIntrospector(introspector, this.blacklist, this.tokens);
		}
		if (bean instanceof ProviderManager manager) {
			check(manager.getProviders());
		}
		else if (bean instanceof AuthenticationProvider provider) {
			check(List.of(provider));
		}
		return bean;
	}

	/**
	 * Reports what was seen: whether the blacklist is used is known when all beans exist.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		this.started = true;
		report();
	}

	private void check(List<AuthenticationProvider> providers) {
		for (AuthenticationProvider provider : providers) {
			if (provider instanceof OpaqueTokenAuthenticationProvider && !checks(provider)) {
				this.bypassed = true;
			}
		}
		if (this.started) {
			report();
		}
	}

	private static boolean checks(AuthenticationProvider provider) {
		try {
			return new DirectFieldAccessor(provider)
				.getPropertyValue("introspector") instanceof BlacklistOpaqueTokenIntrospector;
		}
		catch (BeansException ex) {
			logger.debug("The introspector of a provider cannot be seen", ex);
			return true;
		}
	}

	private void report() {
		if (!this.bypassed || this.blacklist.get() == null) {
			return;
		}
		this.bypassed = false;
		GuardConfigurationException problem = new GuardConfigurationException(
				"An OpaqueTokenIntrospector of a security filter chain",
				"accepts tokens that were revoked: it is no bean, and does not ask the blacklist.", REMEDY);
		if (this.policy.get() == UncheckedDecoder.FAIL) {
			throw problem;
		}
		logger.warn(problem.getMessage());
	}

}
