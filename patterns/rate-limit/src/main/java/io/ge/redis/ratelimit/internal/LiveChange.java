// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.core.invocation.Setting;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitChange;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A difference from the definition of a limit: other settings, or a block of a key.
 *
 * @param key the key that it is about, joined, or {@code null} for all keys
 * @param blockedUntil the end of a block by {@link System#nanoTime()}, or {@code null}
 * @param last the last limit and its result, so that applying the change again costs a
 * comparison
 */
record LiveChange(String name, @Nullable String key, Setting.Origin origin, RateLimitChange change,
		@Nullable Long blockedUntil, AtomicReference<RateLimit @Nullable []> last) {

	private static final Log logger = LogFactory.getLog(LiveChange.class);

	static LiveChange of(String name, @Nullable String key, Setting.Origin origin, RateLimitChange change) {
		return new LiveChange(name, key, origin, change, null, new AtomicReference<>());
	}

	static LiveChange block(String name, String key, long until) {
		return new LiveChange(name, key, Setting.Origin.ENDPOINT_FOR_KEY, new RateLimitChange(null, null, null), until,
				new AtomicReference<>());
	}

	/**
	 * Returns a key as it is written in properties and at the endpoint: its parts joined
	 * with colons.
	 */
	public static String text(List<String> key) {
		return (key.size() == 1) ? key.get(0) : String.join(":", key);
	}

	/**
	 * Returns the time for which the key is still blocked, zero if it is not.
	 */
	public Duration remainingBlock(long now) {
		return (this.blockedUntil != null && this.blockedUntil - now > 0) ? Duration.ofNanos(this.blockedUntil - now)
				: Duration.ZERO;
	}

	RateLimit applyTo(RateLimit base) {
		RateLimit[] known = this.last.get();
		if (known == null || known[0] != base) {
			known = new RateLimit[] { base, apply(base) };
			this.last.set(known);
		}
		return known[1];
	}

	// Checked when it was made, but the limit may have become another one since
	private RateLimit apply(RateLimit base) {
		try {
			return this.change.applyTo(base);
		}
		catch (IllegalArgumentException ex) {
			logger.warn("Rate limit '" + base.name() + "' stays as it is, since it cannot have " + this.change + ": "
					+ ex.getMessage());
			return base;
		}
	}

}
