// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.time.Duration;

import io.ge.redis.cache.CacheEvent;
import org.jspecify.annotations.Nullable;

/**
 * The values of one cache that this instance keeps in memory.
 * <p>
 * A value gets there only from an answer of Redis, and only if the token of its load
 * still exists that was put there before Redis was asked: a change notification removes
 * value and token. If the subscription was lost in between, the epoch of the token shows
 * that.
 * <p>
 * A value that readers would refresh before its expiry is served for a fraction of its
 * load time only, so that one of them gets the lease for that.
 */
public final class NearCache {

	/** How many load times before the expiry hardly any dice call for a refresh. */
	private static final int FEW = 5;

	/** How often in a load time Redis is asked where they do. */
	private static final int ASKED = 8;

	private final NearStore store;

	private final NearFeed feed;

	private final long ttl;

	private final long sure;

	private final CacheEvent hit;

	/**
	 * Creates the memory of a cache.
	 * @param ttl how long a value is served at most
	 * @param sure how long one is served after the versions of tags were looked at, and
	 * after Redis was asked for it
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
	 * Returns a value that may be served now, as far as this can be told without its
	 * tags.
	 */
	public @Nullable NearValue get(CacheKey key, CacheType type, long now) {
		// In this order: what is read afterwards knows the news that are confirmed
		if (!this.feed.isConfirmed(now)) {
			return null;
		}
		return (this.store.get(key) instanceof NearValue value && value.until() - now > 0 && value.type() == type
				&& value.token().epoch == this.feed.epoch()) ? value : null;
	}

	/**
	 * Begins a load, before Redis is asked.
	 * @param lookedAt when the versions of tags were looked at last: notifications cover
	 * later ones only
	 * @return the token, which must be returned; {@code null} if nothing can be kept
	 */
	public @Nullable NearToken begin(CacheKey key, long lookedAt) {
		if (!NearNews.isTold(key)) {
			return null;
		}
		// In this order: if the subscription is lost in between, the epoch is over
		long epoch = this.feed.epoch();
		long now = this.feed.now();
		this.feed.need(now + this.ttl);
		if (!this.feed.isConfirmed(now) || lookedAt - this.feed.since() < 0) {
			return null;
		}
		long until = Math.min(this.ttl, this.sure - Math.max(0, now - lookedAt));
		NearToken token = new NearToken(this, key, epoch, now, now + until);
		if (until <= 0) {
			return null;
		}
		token.shownBy(this.store.begin(token));
		return token;
	}

	public void keep(NearToken token, CacheType type, CacheType.Content content, long leftMillis, double refreshUrge) {
		CacheHeader header = content.header();
		long served = servedMillis(leftMillis, header.loadMillis(), refreshUrge);
		long longest = token.until - token.begun;
		long until = token.begun + ((served < longest / 1_000_000) ? served * 1_000_000 : longest);
		this.store.replace(token, new NearValue(content.value(), type, token, until, header.stamp(), header.tags()));
	}

	/**
	 * Returns for how long a value may be served.
	 * @param left the time to its expiry, or -1 if it has none
	 * @param load how long it took to load, or 0 if that is not known
	 * @param urge how inclined readers are to replace it before its expiry, or 0
	 * @return milliseconds from the time at which Redis was asked
	 */
	public static long servedMillis(long left, long load, double urge) {
		if (left < 0) {
			return Long.MAX_VALUE;
		}
		if (load == 0 || urge == 0) {
			return left;
		}
		long refreshed = (long) Math.ceil(load * (CacheLoads.MARGIN + FEW * urge));
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

	public void tick() {
		this.store.tick(this.feed.now());
	}

	public long size() {
		return this.store.size();
	}

}
