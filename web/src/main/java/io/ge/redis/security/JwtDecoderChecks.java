// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;

/**
 * Looks at startup whether {@link JwtDecoder} beans, and decoders of security filter
 * chains, check that tokens were not revoked: Spring Boot adds the
 * {@link BlacklistTokenValidator} only to a decoder of its own making. A
 * {@link NimbusJwtDecoder} shows its validators; other decoders, and those made later,
 * are not judged.
 */
public class JwtDecoderChecks implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(JwtDecoderChecks.class);

	private static final String REMEDY = "Give it a validator that includes the bean of type "
			+ BlacklistTokenValidator.class.getName() + ", best as the last one: decoder.setJwtValidator(new "
			+ "DelegatingOAuth2TokenValidator<>(JwtValidators.createDefault(), blacklistTokenValidator)). If its tokens "
			+ "are checked elsewhere, set ge.redis.blacklist.unchecked-decoder=warn, or "
			+ "ge.redis.blacklist.validate-jwt=false if none is to be checked where it is decoded.";

	private final ConfigurableListableBeanFactory beans;

	private final Supplier<@Nullable TokenBlacklist> blacklist;

	private final UncheckedDecoder policy;

	/** Of chains, as long as it is not known whether the blacklist is used. */
	private final Set<JwtDecoder> early = ConcurrentHashMap.newKeySet();

	private volatile boolean started;

	private final Set<JwtDecoder> reported = ConcurrentHashMap.newKeySet();

	public JwtDecoderChecks(ConfigurableListableBeanFactory beans, Supplier<@Nullable TokenBlacklist> blacklist,
			UncheckedDecoder policy) {
		this.beans = beans;
		this.blacklist = blacklist;
		this.policy = policy;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.started = true;
		this.early.forEach(this::check);
		for (String name : this.beans.getBeanNamesForType(JwtDecoder.class, false, false)) {
			if (this.beans.getSingleton(name) instanceof JwtDecoder decoder) {
				check(decoder, "The JwtDecoder '" + name + "'");
			}
		}
	}

	void check(JwtDecoder decoder) {
		if (!this.started) {
			this.early.add(decoder);
			return;
		}
		for (String name : this.beans.getBeanNamesForType(JwtDecoder.class, false, false)) {
			if (this.beans.getSingleton(name) == decoder) {
				check(decoder, "The JwtDecoder '" + name + "'");
				return;
			}
		}
		check(decoder, "A JwtDecoder of a security filter chain that is no bean");
	}

	private void check(JwtDecoder decoder, String description) {
		if (this.blacklist.get() != null && decoder instanceof NimbusJwtDecoder nimbus && !checks(nimbus)
				&& this.reported.add(decoder)) {
			report(description);
		}
	}

	private void report(String description) {
		GuardConfigurationException problem = new GuardConfigurationException(description,
				"accepts tokens that were revoked: none of its validators asks the blacklist.", REMEDY);
		if (this.policy == UncheckedDecoder.FAIL) {
			throw problem;
		}
		logger.warn(problem.getMessage());
	}

	private static boolean checks(NimbusJwtDecoder decoder) {
		try {
			return checks(new DirectFieldAccessor(decoder).getPropertyValue("jwtValidator"));
		}
		catch (BeansException ex) {
			logger.debug("The validators of a decoder cannot be seen", ex);
			return true;
		}
	}

	private static boolean checks(@Nullable Object validator) {
		if (validator instanceof BlacklistTokenValidator) {
			return true;
		}
		if (!(validator instanceof DelegatingOAuth2TokenValidator)) {
			return false;
		}
		Object parts = new DirectFieldAccessor(validator).getPropertyValue("tokenValidators");
		if (parts instanceof Collection<?> validators) {
			for (Object part : validators) {
				if (checks(part)) {
					return true;
				}
			}
		}
		return false;
	}

}
