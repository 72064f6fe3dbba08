/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.blacklist.BlacklistGuard;
import io.ge.redis.blacklist.BlacklistProperties;
import io.ge.redis.blacklist.CurrentToken;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.security.BlacklistTokenValidator;
import io.ge.redis.security.CurrentJwt;
import io.ge.redis.security.JwtTokens;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.jwt.Jwt;

/**
 * Blacklists for the tokens of Spring Security.
 */
@AutoConfiguration(after = BlacklistAutoConfiguration.class)
@ConditionalOnClass({ Jwt.class, SecurityContextHolder.class })
@ConditionalOnBean(BlacklistGuard.class)
public final class BlacklistSecurityAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(CurrentToken.class)
	CurrentJwt blacklistCurrentJwt() {
		return new CurrentJwt();
	}

	@Bean
	@ConditionalOnMissingBean
	JwtTokens blacklistJwtTokens() {
		return new JwtTokens();
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBooleanProperty(name = "ge.redis.blacklist.validate-jwt", matchIfMissing = true)
	BlacklistTokenValidator blacklistTokenValidator(ObjectProvider<TokenBlacklist> blacklist,
			BlacklistProperties properties) {
		return new BlacklistTokenValidator(blacklist::getObject, properties.clockSkew());
	}

}
