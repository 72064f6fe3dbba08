// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.time.Duration;

import io.ge.redis.cache.OnLoadTimeout;

/**
 * How long a cache keeps values and makes callers wait.
 *
 * @param permanent whether a value stays until it is replaced or removed instead
 * @param negativeTtl how long the absence of a value stays; zero to not cache it
 * @param ttlJitter the share of its time by which a value stays shorter at most
 * @param staleIfError how long a value is kept beyond its time
 * @param leaseTime how long a loader has the entry for itself
 * @param loadWait how long a caller waits for another one's value
 * @param refreshUrge how much earlier than needed values are refreshed, in load times; 0
 * if they are not refreshed before their expiry
 */
public record CacheSettings(Duration ttl, boolean permanent, Duration negativeTtl, double ttlJitter,
		Duration staleIfError, Duration leaseTime, Duration loadWait, OnLoadTimeout onLoadTimeout, double refreshUrge) {

	/** Longer than anything that is waited for. */
	public static final Duration EVER = Duration.ofDays(3650);

	/**
	 * Returns how long an entry stays in Redis at most.
	 */
	public Duration longestTtl() {
		if (this.permanent) {
			return EVER;
		}
		Duration kept = this.ttl.plus(this.staleIfError);
		return (kept.compareTo(this.negativeTtl) > 0) ? kept : this.negativeTtl;
	}

}
