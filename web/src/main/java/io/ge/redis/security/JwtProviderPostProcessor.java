// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.util.List;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.BeansException;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationProvider;

/**
 * Shows {@link JwtDecoderChecks} the decoders of security filter chains, which need not
 * be beans: a chain makes one itself where it is told nothing but where the keys are.
 */
public class JwtProviderPostProcessor implements BeanPostProcessor {

	private static final Log logger = LogFactory.getLog(JwtProviderPostProcessor.class);

	private final Supplier<JwtDecoderChecks> checks;

	public JwtProviderPostProcessor(Supplier<JwtDecoderChecks> checks) {
		this.checks = checks;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof ProviderManager manager) {
			check(manager.getProviders());
		}
		else if (bean instanceof AuthenticationProvider provider) {
			check(List.of(provider));
		}
		return bean;
	}

	private void check(List<AuthenticationProvider> providers) {
		for (AuthenticationProvider provider : providers) {
			if (provider instanceof JwtAuthenticationProvider) {
				check(provider);
			}
		}
	}

	private void check(AuthenticationProvider provider) {
		Object decoder = null;
		try {
			decoder = new DirectFieldAccessor(provider).getPropertyValue("jwtDecoder");
		}
		catch (BeansException ex) {
			logger.debug("The decoder of a provider cannot be seen", ex);
		}
		if (decoder instanceof JwtDecoder known) {
			this.checks.get().check(known);
		}
	}

}
