// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.List;

import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.blacklist.BlacklistProperties;
import io.ge.redis.blacklist.CurrentToken;
import io.ge.redis.blacklist.SubscriberToken;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenReader;
import io.ge.redis.blacklist.UsedIds;
import io.ge.redis.blacklist.internal.BlacklistPattern;
import io.ge.redis.blacklist.internal.RedisUsedIds;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.guard.GuardAdvisor;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Blacklists.
 */
@AutoConfiguration(after = GeRedisAutoConfiguration.class)
@ConditionalOnBean(name = "geRedisGuardVerifier")
@ConditionalOnBooleanProperty(name = "ge.redis.blacklist.enabled", matchIfMissing = true)
@EnableConfigurationProperties(BlacklistProperties.class)
public final class BlacklistAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static BlacklistPattern geRedisBlacklistPattern(ObjectProvider<BlacklistProperties> properties,
			AttributeReader attributes, ExpressionCompiler expressions, GuardEvents events, GuardedCalls calls,
			ListableBeanFactory beans, ObjectProvider<CurrentToken> currentToken, ObjectProvider<TokenReader> readers) {
		return new BlacklistPattern(properties::getObject, attributes, expressions,
				new PatternBackend("blacklist", beans), events, calls, (form) -> isCallerKnown(beans, form),
				currentToken::getObject, () -> readers.orderedStream().toList());
	}

	// By their types, since none of them is to be made for this
	private static boolean isCallerKnown(ListableBeanFactory beans, ResultForm form) {
		int known = beans.getBeanNamesForType(CurrentToken.class, true, false).length;
		boolean subscribed = form.kind() == ResultForm.Kind.SINGLE || form.kind() == ResultForm.Kind.MULTIPLE;
		return known > (subscribed ? 0 : beans.getBeanNamesForType(SubscriberToken.class, true, false).length);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardAdvisor geRedisBlacklistAdvisor(ObjectProvider<BlacklistPattern> pattern, BeanFactory beans) {
		return new PatternBackend("blacklist", beans).advisor(AdviceOrder.BLACKLIST_CHECK,
				(order) -> pattern.getObject().advisor(order), List.of(BlacklistCheck.class));
	}

	/**
	 * Lazy, so that it exists only if the application uses it.
	 */
	@Bean
	@Lazy
	@ConditionalOnMissingBean
	TokenBlacklist geRedisTokenBlacklist(BlacklistPattern pattern) {
		return pattern.tokenBlacklist();
	}

	@Bean
	BlacklistUse geRedisBlacklistUse(ConfigurableListableBeanFactory beans, GuardedMethods methods,
			Environment environment) {
		return new BlacklistUse(beans, methods, environment);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	UsedIds geRedisUsedIds(GuardedCalls calls, BeanFactory beans) {
		return new RedisUsedIds(new PatternBackend("blacklist", beans), calls);
	}

}
