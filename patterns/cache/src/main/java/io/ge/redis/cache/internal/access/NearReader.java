// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.access;

import io.ge.redis.cache.internal.engine.CacheInvalidations;
import io.ge.redis.cache.internal.engine.CacheJournal;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheLookup;
import io.ge.redis.cache.internal.engine.CacheRegistry;
import io.ge.redis.cache.internal.engine.CacheTags;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.cache.internal.engine.NearCache;
import io.ge.redis.cache.internal.engine.NearCaches;
import io.ge.redis.cache.internal.engine.NearToken;
import io.ge.redis.cache.internal.engine.NearValue;
import io.ge.redis.core.event.GuardEvents;
import org.jspecify.annotations.Nullable;

/**
 * Reads from the memory of this instance, by the rules that hold for what Redis answers,
 * and brings there what it has answered.
 */
public final class NearReader {

	private final NearCaches caches;

	private final CacheRegistry definitions;

	private final CacheJournal journal;

	private final CacheInvalidations invalidations;

	private final CacheTransactions transactions;

	private final GuardEvents events;

	public NearReader(NearCaches caches, CacheRegistry definitions, CacheJournal journal,
			CacheInvalidations invalidations, CacheTransactions transactions, GuardEvents events) {
		this.caches = caches;
		this.definitions = definitions;
		this.journal = journal;
		this.invalidations = invalidations;
		this.transactions = transactions;
		this.events = events;
	}

	/**
	 * Finds the value of an entry.
	 * @param source asks for it, or {@code null} for a reader that says nothing of tags
	 * @return the value, or {@code null} if Redis is to be asked
	 */
	@Nullable NearValue find(CacheKey key, CacheType type, @Nullable CacheEntries source) {
		NearCache near = this.caches.of(key.cache());
		NearValue value = (near != null) ? find(near, key, type) : null;
		if (near == null || value == null || (value.tags().length == 0 && source != null && isTagged(source))) {
			return null;
		}
		this.events.publish(near.hit());
		return value;
	}

	/**
	 * Returns whether a reader names tags. An entry that was stored before its tags were
	 * known would be out of reach.
	 */
	static boolean isTagged(CacheEntries source) {
		CacheTags tags = source.tags();
		return tags != null && !tags.isEmpty();
	}

	// Versions of tags come by messages like changes of entries, but are read as well: an
	// instance that invalidates need not have near values, nor know that others do
	private @Nullable NearValue find(NearCache near, CacheKey key, CacheType type) {
		OpenWork work = this.transactions.known();
		if (work.loading.contains(key) || work.isWriting(key) || this.journal.holds(key)
				|| this.invalidations.isDue(key.cache())) {
			return null;
		}
		long now = near.now();
		NearValue value = near.get(key, type, now);
		return (value != null && this.invalidations.isServable(key.cache(), now, value.stamp(), value.tags())) ? value
				: null;
	}

	/**
	 * Begins a load, before Redis is asked.
	 * @return the token, which must be returned; {@code null} if nothing is kept
	 */
	public @Nullable NearToken begin(CacheKey key) {
		NearCache near = this.caches.of(key.cache());
		return (near != null) ? near.begin(key, this.invalidations.readAt(key.cache(), this.caches.since())) : null;
	}

	/**
	 * Keeps what Redis has answered. What others have asked for is not kept, since it may
	 * be older than the token.
	 */
	public void keep(@Nullable NearToken token, CacheLookup lookup, CacheType type, CacheType.Content content) {
		if (token != null && lookup instanceof CacheLookup.Found found && found.asked()) {
			token.keep(type, content, found.leftMillis(), this.definitions.settings(token.key().cache()).refreshBeta());
		}
	}

}
