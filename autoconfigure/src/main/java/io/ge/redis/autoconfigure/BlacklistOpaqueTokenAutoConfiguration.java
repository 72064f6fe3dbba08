/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.blacklist.BlacklistProperties;
import io.ge.redis.blacklist.guard.BlacklistPattern;
import io.ge.redis.security.OpaqueTokenPostProcessor;
import io.ge.redis.security.OpaqueTokens;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;

/**
 * Blacklists for opaque tokens, which an authorization server is asked about.
 */
@AutoConfiguration(after = BlacklistAutoConfiguration.class)
@ConditionalOnClass({ OpaqueTokenIntrospector.class, ProviderManager.class })
@ConditionalOnBean(BlacklistPattern.class)
public final class BlacklistOpaqueTokenAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	OpaqueTokens blacklistOpaqueTokens(BlacklistProperties properties) {
		return new OpaqueTokens(properties.opaqueTokenIssuer());
	}

	@Bean
	@ConditionalOnBooleanProperty(name = "ge.redis.blacklist.validate-opaque-tokens", matchIfMissing = true)
	static OpaqueTokenPostProcessor blacklistOpaqueTokenPostProcessor(ObjectProvider<BlacklistUse> use,
			ObjectProvider<OpaqueTokens> tokens, ObjectProvider<BlacklistProperties> properties) {
		return new OpaqueTokenPostProcessor(BlacklistUse.blacklist(use), tokens::getObject,
				() -> properties.getObject().uncheckedDecoder());
	}

}
