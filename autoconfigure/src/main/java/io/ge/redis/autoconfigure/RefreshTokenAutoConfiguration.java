// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import io.ge.redis.blacklist.BlacklistProperties;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.refresh.DefaultRefreshTokens;
import io.ge.redis.blacklist.refresh.RefreshTokenProperties;
import io.ge.redis.blacklist.refresh.RefreshTokens;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Refresh tokens, which end in the blacklist.
 */
@AutoConfiguration(after = BlacklistAutoConfiguration.class)
@ConditionalOnBean(name = "geRedisBlacklistPattern")
@ConditionalOnBooleanProperty(name = "ge.redis.refresh-tokens.enabled", matchIfMissing = true)
@EnableConfigurationProperties(RefreshTokenProperties.class)
public final class RefreshTokenAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	RefreshTokens geRedisRefreshTokens(RefreshTokenProperties properties, BlacklistProperties blacklists,
			ObjectProvider<TokenBlacklist> blacklist, GuardEvents events, GuardedCalls calls, BeanFactory beans) {
		return new DefaultRefreshTokens(properties, blacklists.maxTokenLifetime(),
				new PatternBackend("refresh-tokens", beans), blacklist::getObject, events, calls);
	}

}
