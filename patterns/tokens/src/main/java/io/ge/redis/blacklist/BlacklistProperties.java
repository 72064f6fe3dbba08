// SPDX-License-Identifier: Apache-2.0

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
 * @param enabled whether methods with `@BlacklistCheck` are guarded; set to true, tokens
 * are also checked if nothing else uses the blacklist
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param onOutage what happens while Redis is unavailable: deny, allow, or local, which
 * answers from memory for stale-for and denies then
 * @param maxStaleness longest time for which an instance may answer from memory without
 * having confirmed that it knows every revocation
 * @param maxExactIds number of revoked tokens and sessions that an instance keeps, at
 * about 115 bytes each; if there are more, it asks Redis about every token that it does
 * not know as revoked
 * @param staleFor time for which an instance answers from memory while Redis is
 * unavailable, with on-outage=local
 * @param clockSkew time after its expiry for which a token may still be accepted; at
 * least the skew of the application's JWT timestamp validator
 * @param issuerClockSkew time by which the clock of a token's issuer may be ahead of
 * Redis; used when all tokens of a subject are revoked and a token carries no issue stamp
 * @param maxTokenLifetime longest lifetime of any token; older tokens are refused
 * @param requireJti whether tokens without a jti claim are refused, since they cannot be
 * revoked one by one; otherwise they are checked by subject, session and client only
 * @param validateJwt whether Spring Security checks every JWT that it decodes
 * @param opaqueTokenIssuer issuer of opaque tokens whose introspection names none; must
 * be the issuer that revocations name
 * @param uncheckedDecoder what happens at startup if a JwtDecoder bean does not check
 * revocations: fail or warn
 * @param lists lists by name; their settings take precedence over the annotations
 */
@ConfigurationProperties("ge.redis.blacklist")
public record BlacklistProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue("deny") OutagePolicy onOutage, @DefaultValue("2s") Duration maxStaleness,
		@DefaultValue("1000000") int maxExactIds, @DefaultValue("30s") Duration staleFor,
		@DefaultValue("60s") Duration clockSkew, @DefaultValue("1s") Duration issuerClockSkew,
		@DefaultValue("30d") Duration maxTokenLifetime, @DefaultValue("false") boolean requireJti,
		@DefaultValue("true") boolean validateJwt, @Nullable String opaqueTokenIssuer,
		@DefaultValue("fail") UncheckedDecoder uncheckedDecoder, @DefaultValue Map<String, NamedList> lists) {

	/** Keeps sums with a token's expiry within what Lua's doubles count exactly. */
	private static final Duration LONGEST = Duration.ofDays(3660);

	/** Looks are made several times within it. */
	private static final Duration SHORTEST_STALENESS = Duration.ofMillis(100);

	/** Instances that follow are remembered for so long after their last look. */
	private static final Duration LONGEST_STALENESS = Duration.ofMinutes(1);

	/** About 1 GiB. */
	private static final int MOST_EXACT_IDS = 10_000_000;

	public BlacklistProperties {
		Assert.isTrue(maxStaleness.compareTo(SHORTEST_STALENESS) >= 0 && maxStaleness.compareTo(LONGEST_STALENESS) <= 0,
				() -> "ge.redis.blacklist.max-staleness must be between 100ms and 1m, was " + maxStaleness);
		Assert.isTrue(maxExactIds >= 0 && maxExactIds <= MOST_EXACT_IDS,
				() -> "ge.redis.blacklist.max-exact-ids must be between 0 and " + MOST_EXACT_IDS + ", was "
						+ maxExactIds);
		requireWithin("stale-for", staleFor, Duration.ZERO);
		requireWithin("clock-skew", clockSkew, Duration.ZERO);
		requireWithin("issuer-clock-skew", issuerClockSkew, Duration.ZERO);
		requireWithin("max-token-lifetime", maxTokenLifetime, Duration.ofSeconds(1));
	}

	private static void requireWithin(String name, Duration value, Duration least) {
		Assert.isTrue(value.compareTo(least) >= 0 && value.compareTo(LONGEST) <= 0, () -> "ge.redis.blacklist." + name
				+ " must be between " + least + " and " + LONGEST.toDays() + " days, was " + value);
	}

	/**
	 * One list. Settings that are not set come from the annotation.
	 *
	 * @param onOutage what happens while Redis is unavailable: deny, allow, or local,
	 * which answers from memory for a while and denies then
	 */
	public record NamedList(@Nullable OutagePolicy onOutage) {

		public static final NamedList UNSET = new NamedList(null);

	}

	public NamedList list(String name) {
		return this.lists.getOrDefault(name, NamedList.UNSET);
	}

}
