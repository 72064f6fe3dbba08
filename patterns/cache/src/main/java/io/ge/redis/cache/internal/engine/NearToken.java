// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

/**
 * The token of one load, in memory from before Redis is asked. A change of the entry
 * removes it, perhaps after Redis has answered: then the answer is not kept.
 * <p>
 * A load that begins beside another one relies on the token of that one. The value of the
 * later load is kept, so memory never returns to an older value.
 */
public final class NearToken implements NearStore.Slot, AutoCloseable {

	private final NearCache cache;

	private final CacheKey key;

	/** Start of the time in which change notifications have arrived without a gap. */
	final long epoch;

	/** When it was made, before Redis was asked, by {@link System#nanoTime()}. */
	final long begun;

	final long until;

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
	boolean mayReplace(NearStore.Slot slot) {
		NearToken other = slot.token();
		return other == this || (other.shown == this.shown && other.begun - this.begun < 0);
	}

	public CacheKey key() {
		return this.key;
	}

	/**
	 * Keeps what Redis has answered, if the token still exists. What others have asked
	 * for is not kept, since it may be older than the token.
	 * @param refreshBeta the inclination of readers to replace the value before its
	 * expiry
	 */
	public void keep(CacheLookup answer, CacheType type, CacheType.Content content, double refreshBeta) {
		if (answer instanceof CacheLookup.Found found && found.asked()) {
			keep(type, content, found.leftMillis(), refreshBeta);
		}
	}

	/**
	 * Keeps a value, if the token still exists.
	 * @param leftMillis the time to the expiry in milliseconds, or -1 if there is none
	 */
	void keep(CacheType type, CacheType.Content content, long leftMillis, double refreshBeta) {
		this.cache.keep(this, type, content, leftMillis, refreshBeta);
	}

	@Override
	public void close() {
		this.cache.withdraw(this);
	}

}
