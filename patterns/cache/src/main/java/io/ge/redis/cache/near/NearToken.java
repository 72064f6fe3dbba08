/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.near;

import io.ge.redis.cache.codec.CacheType;
import io.ge.redis.cache.engine.CacheKey;

/**
 * Stands in memory for one load in flight, from before Redis is asked. What takes it away
 * has changed the entry, perhaps after Redis has answered: then the answer is not kept.
 * Each load has a token of its own, so that nobody takes the token of a later load for
 * that of an earlier one.
 * <p>
 * A load that begins beside another one relies on the token of that, which shows as well
 * that nothing has changed since. Of both, the value of the later load is kept: what is
 * in memory is never replaced by something older.
 */
public final class NearToken implements NearSlot, AutoCloseable {

	private final NearCache cache;

	private final CacheKey key;

	private final long epoch;

	private final long begun;

	private final long until;

	/** The one in memory when this load began, which may be this one. */
	private NearToken shown = this;

	NearToken(NearCache cache, CacheKey key, long epoch, long begun, long until) {
		this.cache = cache;
		this.key = key;
		this.epoch = epoch;
		this.begun = begun;
		this.until = until;
	}

	@Override
	public NearToken token() {
		return this;
	}

	void shownBy(NearToken standing) {
		this.shown = standing;
	}

	/**
	 * Returns whether what is in memory belongs to this load, or to one that began before
	 * it and has been there since.
	 */
	boolean mayReplace(NearSlot slot) {
		NearToken other = slot.token();
		return other == this || (other.shown == this.shown && other.begun - this.begun < 0);
	}

	public CacheKey key() {
		return this.key;
	}

	/**
	 * Returns since when change notifications have arrived without a gap.
	 */
	long epoch() {
		return this.epoch;
	}

	/**
	 * Returns when it was made, before Redis was asked, by {@link System#nanoTime()}.
	 */
	long begun() {
		return this.begun;
	}

	long until() {
		return this.until;
	}

	/**
	 * Keeps what Redis has answered, if the token still exists.
	 * @param leftMillis the time to the expiry in milliseconds as Redis has answered it,
	 * or -1 if there is none
	 * @param refreshUrge the inclination of readers to replace the value before that
	 */
	public void keep(CacheType type, CacheType.Content content, long leftMillis, double refreshUrge) {
		this.cache.keep(this, type, content, leftMillis, refreshUrge);
	}

	@Override
	public void close() {
		this.cache.withdraw(this);
	}

}
