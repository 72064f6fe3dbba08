/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist.refresh;

import java.time.Duration;
import java.util.function.Supplier;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.GuardConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles refresh tokens.
 */
public final class RefreshTokenFactory {

	private static final String PATTERN = "refresh";

	private static final Duration DEFAULT_LIFETIME = Duration.ofDays(30);

	private RefreshTokenFactory() {
	}

	/**
	 * Assembles refresh tokens. Nothing is asked for before the first is used.
	 * @param properties lifetime and grace
	 * @param longest the longest life of any token that the blacklist counts with
	 * @param backend where the sessions live
	 * @param blacklist told of sessions that end, and asked for revocations
	 * @param events told of tokens that are presented
	 * @param calls make what does not wait
	 * @return the refresh tokens
	 * @throws GuardConfigurationException if sessions are to outlive what the blacklist
	 * keeps about them
	 */
	public static RefreshTokens create(RefreshTokenProperties properties, Duration longest,
			Supplier<RedisBackend> backend, Supplier<TokenBlacklist> blacklist, GuardEvents events,
			GuardedCalls calls) {
		Duration lifetime = lifetime(properties.lifetime(), longest);
		return new DefaultRefreshTokens(SingletonSupplier.of(() -> {
			RedisBackend redis = backend.get();
			return new RedisRefreshTokens(redis.redis(PATTERN), redis.keys(PATTERN), lifetime, properties.grace());
		}), SingletonSupplier.of(blacklist), events, calls);
	}

	private static Duration lifetime(@Nullable Duration configured, Duration longest) {
		if (configured == null) {
			return (DEFAULT_LIFETIME.compareTo(longest) <= 0) ? DEFAULT_LIFETIME : longest;
		}
		if (configured.compareTo(longest) > 0) {
			throw new GuardConfigurationException("ge.redis.refresh-tokens.lifetime",
					"is longer than ge.redis.blacklist.max-token-lifetime, so that a session could be used again when "
							+ "its revocation has lapsed.",
					"Raise ge.redis.blacklist.max-token-lifetime to " + configured + " or lower the lifetime.");
		}
		return configured;
	}

}
