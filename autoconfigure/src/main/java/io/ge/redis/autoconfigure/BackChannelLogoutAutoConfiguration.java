/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.guard.BlacklistPattern;
import io.ge.redis.security.BackChannelLogoutHandler;
import jakarta.servlet.Servlet;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.security.oauth2.core.ClaimAccessor;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.web.authentication.logout.LogoutHandler;

/**
 * Revocations that OpenID providers ask for.
 */
@AutoConfiguration(after = BlacklistAutoConfiguration.class)
@ConditionalOnClass({ Servlet.class, LogoutHandler.class, ClaimAccessor.class, Jwt.class })
@ConditionalOnBean(BlacklistPattern.class)
public final class BackChannelLogoutAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	BackChannelLogoutHandler blacklistBackChannelLogoutHandler(ObjectProvider<TokenBlacklist> blacklist) {
		return new BackChannelLogoutHandler(blacklist::getObject);
	}

}
