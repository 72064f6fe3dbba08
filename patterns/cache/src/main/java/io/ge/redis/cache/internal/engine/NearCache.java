// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.time.Duration;

import io.ge.redis.cache.CacheEvent;
import org.jspecify.annotations.Nullable;

/**
 * The values of one cache that this instance keeps in memory.
 * <p>
 * A value is put there only from an answer of Redis, and only if the token of its load
 * still exists. The token is put there before Redis is asked, and a change notification
 * removes value and token. If the subscription was lost in between, the epoch of the
 * token shows that.
 * <p>
 * A value that readers would refresh before its expiry is served for a fraction of its
 * load time only. So one of them gets the lease to refresh it.
 */
public final class NearCache {

	/** Number of load times that the expiry counts as earlier for a refresh. */
	public static final int MARGIN = 2;

	/** Number of load times before the expiry at which a refresh is rarely drawn. */
	private static final int RARELY = 5;

	/** Number of requests to Redis in a load time after that. */
	private static final int ASKED = 8;

	private final NearStore store;

	private final NearFeed feed;

	private final long ttl;

	private final long sure;

	private final CacheEvent hit;

	/**
	 * Creates the memory of a cache.
	 * @param ttl the longest time that a value is served
	 * @param sure the time that a value is served after the versions of tags were read,
	 * and after Redis was asked for it
	 */
	NearCache(String cache, NearStore store, NearFeed feed, Duration ttl, Duration sure) {
		this.store = store;
		this.feed = feed;
		this.ttl = ttl.toNanos();
		this.sure = sure.toNanos();
		this.hit = new CacheEvent.Read(cache, CacheEvent.Access.HIT, CacheEvent.Tier.NEAR);
	}

	public CacheEvent hit() {
		return this.hit;
	}

	public long now() {
		return this.feed.now();
	}

	/**
	 * Returns a value that may be served now, judged without its tags.
	 */
	public @Nullable NearValue get(CacheKey key, CacheType type, long now) {
		// In this order: what is read afterwards includes all confirmed invalidations
		if (!this.feed.isConfirmed(now)) {
			return null;
		}
		return (this.store.get(key) instanceof NearValue value && value.until() - now > 0 && value.type() == type
				&& value.token().epoch == this.feed.epoch()) ? value : null;
	}

	/**
	 * Begins a load, before Redis is asked.
	 * @param readAt when the versions of tags were read last: notifications cover later
	 * ones only
	 * @return the token, which must be returned; {@code null} if nothing can be kept
	 */
	public @Nullable NearToken begin(CacheKey key, long readAt) {
		if (!key.isPublished()) {
			return null;
		}
		// In this order: if the subscription is lost in between, the epoch is over
		long epoch = this.feed.epoch();
		long now = this.feed.now();
		this.feed.need(now + this.ttl);
		if (!this.feed.isConfirmed(now) || readAt - this.feed.since() < 0) {
			return null;
		}
		long until = Math.min(this.ttl, this.sure - Math.max(0, now - readAt));
		NearToken token = new NearToken(this, key, epoch, now, now + until);
		if (until <= 0) {
			return null;
		}
		token.shownBy(this.store.begin(token));
		return token;
	}

	public void keep(NearToken token, CacheType type, CacheType.Content content, long leftMillis, double refreshBeta) {
		CacheHeader header = content.header();
		long served = servedMillis(leftMillis, header.loadMillis(), refreshBeta);
		long longest = token.until - token.begun;
		long until = token.begun + ((served < longest / 1_000_000) ? served * 1_000_000 : longest);
		this.store.replace(token, new NearValue(content.value(), type, token, until, header.stamp(), header.tags()));
	}

	/**
	 * Returns the time for which a value may be served.
	 * @param left the time to its expiry, or -1 if it has none
	 * @param load the load time, or 0 if that is not known
	 * @param beta factor by which readers replace it earlier, or 0
	 * @return milliseconds from the time at which Redis was asked
	 */
	public static long servedMillis(long left, long load, double beta) {
		if (left < 0) {
			return Long.MAX_VALUE;
		}
		if (load == 0 || beta == 0) {
			return left;
		}
		long refreshed = (long) Math.ceil(load * (MARGIN + RARELY * beta));
		return Math.min(left, Math.max(left - refreshed, Math.max(1, load / ASKED)));
	}

	public void withdraw(NearToken token) {
		this.store.remove(token);
	}

	public void drop(CacheKey key) {
		this.store.remove(key);
	}

	public void clear() {
		this.store.clear();
	}

	public long size() {
		return this.store.size();
	}

}
