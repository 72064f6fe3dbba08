// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.UncheckedDecoder;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;
import org.springframework.security.oauth2.server.resource.web.authentication.BearerTokenAuthenticationFilter;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.util.ClassUtils;

/**
 * Reports {@link JwtDecoder} beans of the application into which no
 * {@link BlacklistTokenValidator} was injected, directly or through another bean. What is
 * injected into a configuration class does not count for its {@code @Bean} methods.
 * Spring Boot adds the validator only to the decoder that it makes for a resource server.
 * Decoders that are no beans are not seen, but a security filter chain for bearer tokens
 * is reported if no decoder is a bean. Lazy decoders are made to be checked.
 */
final class JwtDecoderChecks implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(JwtDecoderChecks.class);

	private static final boolean chainsPresent = ClassUtils.isPresent(
			"org.springframework.security.oauth2.server.resource.web.authentication.BearerTokenAuthenticationFilter",
			JwtDecoderChecks.class.getClassLoader());

	private static final String OF_BOOT = "org.springframework.boot.security.oauth2.server.resource.";

	private static final String REMEDY = "Let the @Bean method of the JwtDecoder have a parameter of type "
			+ BlacklistTokenValidator.class.getName() + ", and add it as the last validator: "
			+ "decoder.setJwtValidator(new DelegatingOAuth2TokenValidator<>(JwtValidators.createDefault(), "
			+ "blacklistTokenValidator)). A validator that comes from an ObjectProvider or a field of the "
			+ "configuration class is not seen, so add the parameter all the same. If its tokens are checked "
			+ "elsewhere, set ge.redis.blacklist.unchecked-decoder=warn, or ge.redis.blacklist.validate-jwt=false if none is to be "
			+ "checked where it is decoded.";

	private final ConfigurableListableBeanFactory beans;

	private final Supplier<@Nullable TokenBlacklist> blacklist;

	private final UncheckedDecoder policy;

	JwtDecoderChecks(ConfigurableListableBeanFactory beans, Supplier<@Nullable TokenBlacklist> blacklist,
			UncheckedDecoder policy) {
		this.beans = beans;
		this.blacklist = blacklist;
		this.policy = policy;
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.blacklist.get() == null) {
			return;
		}
		String[] decoders = this.beans.getBeanNamesForType(JwtDecoder.class, false, false);
		// What is injected is known once they are made
		Stream.of(decoders).forEach(this.beans::getBean);
		Set<String> checked = new HashSet<>();
		for (String validator : this.beans.getBeanNamesForType(BlacklistTokenValidator.class, false, false)) {
			addDependents(validator, checked);
		}
		for (String name : decoders) {
			if (!checked.contains(name) && !isMadeByBoot(name)) {
				report("The JwtDecoder '" + name + "'", "no BlacklistTokenValidator was injected into it.");
			}
		}
		if (decoders.length == 0 && chainsPresent && Chains.decodeUnseen(this.beans)) {
			report("A security filter chain for bearer tokens",
					"neither its JwtDecoder nor its OpaqueTokenIntrospector is a bean. Make it one.");
		}
	}

	private void addDependents(String name, Set<String> all) {
		for (String dependent : this.beans.getDependentBeans(name)) {
			if (!isMadeBy(name, dependent) && all.add(dependent)) {
				addDependents(dependent, all);
			}
		}
	}

	private boolean isMadeBy(String factory, String name) {
		return this.beans.containsBeanDefinition(name)
				&& factory.equals(this.beans.getMergedBeanDefinition(name).getFactoryBeanName());
	}

	private boolean isMadeByBoot(String name) {
		Method factory = (this.beans.containsBeanDefinition(name)
				&& this.beans.getMergedBeanDefinition(name) instanceof RootBeanDefinition definition)
						? definition.getResolvedFactoryMethod() : null;
		return factory != null && factory.getDeclaringClass().getName().startsWith(OF_BOOT);
	}

	private void report(String place, String reason) {
		GuardConfigurationException problem = new GuardConfigurationException(place,
				"may accept tokens that were revoked: " + reason, REMEDY);
		if (this.policy == UncheckedDecoder.FAIL) {
			throw problem;
		}
		logger.warn(problem.getMessage());
	}

	private static final class Chains {

		static boolean decodeUnseen(ConfigurableListableBeanFactory beans) {
			return beans.getBeanNamesForType(OpaqueTokenIntrospector.class, false, false).length == 0 && Stream
				.of(beans.getBeanNamesForType(SecurityFilterChain.class, false, false))
				.map(beans::getSingleton)
				.anyMatch((chain) -> chain instanceof SecurityFilterChain made
						&& made.getFilters().stream().anyMatch(BearerTokenAuthenticationFilter.class::isInstance));
		}

	}

}
