// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.time.Duration;

import io.ge.redis.cache.OnLoadTimeout;

/**
 * Times for which a cache keeps values and makes callers wait.
 *
 * @param permanent whether a value stays until it is replaced or removed instead
 * @param negativeTtl time to live of a cached absence; zero to not cache it
 * @param ttlJitter largest share by which the time of a value is shortened
 * @param staleIfError time for which a value is kept beyond its expiry
 * @param leaseTime time for which one loader alone may fill the entry
 * @param loadWait longest time that a caller waits for the value of another one
 * @param refreshBeta factor by which values are refreshed earlier than needed, in load
 * times; 0 if they are not refreshed before their expiry
 */
public record CacheSettings(Duration ttl, boolean permanent, Duration negativeTtl, double ttlJitter,
		Duration staleIfError, Duration leaseTime, Duration loadWait, OnLoadTimeout onLoadTimeout, double refreshBeta) {

	/** Longer than anything that is waited for. */
	public static final Duration EVER = Duration.ofDays(3650);

	/**
	 * Returns the longest time that an entry stays in Redis.
	 */
	public Duration longestTtl() {
		if (this.permanent) {
			return EVER;
		}
		Duration kept = this.ttl.plus(this.staleIfError);
		return (kept.compareTo(this.negativeTtl) > 0) ? kept : this.negativeTtl;
	}

}
