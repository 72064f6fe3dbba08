/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import java.time.Duration;
import java.util.Map;

import io.ge.redis.core.outage.OutagePolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Blacklists in the environment.
 *
 * @param enabled whether methods with {@code @BlacklistCheck} are guarded
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param onOutage what happens while Redis is away: allow or deny
 * @param clockSkew how long after its expiry a token may still be accepted; the skew of
 * the application's JWT timestamp validator or more
 * @param issuerClockSkew how far the clock of a token's issuer may be ahead of Redis,
 * when all tokens of a subject are revoked and a token carries no issue stamp
 * @param maxTokenLifetime longest life of any token; older ones are refused
 * @param requireJti whether tokens without {@code jti} claim are refused, since they
 * could not be revoked; otherwise only their subject is checked
 * @param validateJwt whether Spring Security checks every JWT that it decodes
 * @param lists lists by name, which win over the annotations
 */
@ConfigurationProperties("ge.redis.blacklist")
public record BlacklistProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue("deny") OutagePolicy onOutage, @DefaultValue("60s") Duration clockSkew,
		@DefaultValue("1s") Duration issuerClockSkew, @DefaultValue("30d") Duration maxTokenLifetime,
		@DefaultValue("true") boolean requireJti, @DefaultValue("true") boolean validateJwt,
		@DefaultValue Map<String, NamedList> lists) {

	/** Keeps sums with a token's expiry within what Lua's doubles count exactly. */
	private static final Duration LONGEST = Duration.ofDays(3660);

	public BlacklistProperties {
		requireWithin("clock-skew", clockSkew, Duration.ZERO);
		requireWithin("issuer-clock-skew", issuerClockSkew, Duration.ZERO);
		requireWithin("max-token-lifetime", maxTokenLifetime, Duration.ofSeconds(1));
	}

	private static void requireWithin(String name, Duration value, Duration least) {
		Assert.isTrue(value.compareTo(least) >= 0 && value.compareTo(LONGEST) <= 0, () -> "ge.redis.blacklist." + name
				+ " must be between " + least + " and " + LONGEST.toDays() + " days, was " + value);
	}

	/**
	 * One list. What is not set is taken from the annotation.
	 *
	 * @param onOutage what happens while Redis is away: allow or deny
	 */
	public record NamedList(@Nullable OutagePolicy onOutage) {

		static final NamedList UNSET = new NamedList(null);

	}

	NamedList list(String name) {
		return this.lists.getOrDefault(name, NamedList.UNSET);
	}

}
