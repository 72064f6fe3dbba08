/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.util.function.Supplier;

import io.ge.redis.blacklist.BlacklistProperties;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.guard.BlacklistPattern;
import io.ge.redis.blacklist.replay.UsedIds;
import io.ge.redis.security.DPoPPostProcessor;
import io.ge.redis.security.DPoPReplayValidator;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.oauth2.server.resource.authentication.DPoPAuthenticationProvider;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.util.function.SingletonSupplier;

/**
 * DPoP proofs that are accepted once, on whatever instance.
 */
@AutoConfiguration(after = BlacklistAutoConfiguration.class)
@ConditionalOnClass({ DPoPAuthenticationProvider.class, ProviderManager.class, SecurityFilterChain.class })
@ConditionalOnBean({ BlacklistPattern.class, UsedIds.class })
@ConditionalOnBooleanProperty(name = "ge.redis.blacklist.remember-dpop-proofs", matchIfMissing = true)
public final class DPoPAutoConfiguration {

	/**
	 * Spring Security accepts proofs that were made up to 30 seconds ago or ahead.
	 */
	private static final Duration LIFE_OF_PROOF = Duration.ofSeconds(60);

	@Bean
	static DPoPPostProcessor blacklistDPoPPostProcessor(ObjectProvider<UsedIds> used, ObjectProvider<BlacklistUse> use,
			ObjectProvider<BlacklistProperties> properties) {
		Supplier<@Nullable TokenBlacklist> blacklist = BlacklistUse.blacklist(use);
		// Clocks of instances differ, and where one accepts a proof it must be remembered
		SingletonSupplier<DPoPReplayValidator> replays = SingletonSupplier
			.of(() -> new DPoPReplayValidator(used::getObject, LIFE_OF_PROOF.plus(properties.getObject().clockSkew())));
		return new DPoPPostProcessor(() -> (blacklist.get() != null) ? replays.get() : null);
	}

}
