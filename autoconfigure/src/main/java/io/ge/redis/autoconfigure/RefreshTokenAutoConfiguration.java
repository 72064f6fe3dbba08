// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import io.ge.redis.autoconfigure.application.PatternBackend;
import io.ge.redis.blacklist.BlacklistProperties;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.refresh.DefaultRefreshTokens;
import io.ge.redis.blacklist.refresh.RefreshTokenProperties;
import io.ge.redis.blacklist.refresh.RefreshTokens;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

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
			ObjectProvider<RedisBackends> backends, ObjectProvider<TokenBlacklist> blacklist, GuardEvents events,
			GuardedCalls calls, Environment environment) {
		return new DefaultRefreshTokens(properties, blacklists.maxTokenLifetime(),
				new PatternBackend("refresh-tokens", backends, environment), blacklist::getObject, events, calls);
	}

}
