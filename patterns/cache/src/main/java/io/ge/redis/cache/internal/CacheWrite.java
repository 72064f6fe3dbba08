// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.time.Duration;
import java.util.function.Function;

import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheTags;
import io.ge.redis.cache.internal.engine.NewValue;
import io.ge.redis.core.outage.CallBudget;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One writer of one entry, from its call to its end. Confined to the thread of the
 * caller; if its work is asynchronous, to the thread of each next step, one after the
 * other.
 */
final class CacheWrite {

	final CacheKey key;

	final String id;

	/** Longest time for which an old value can stay in Redis. */
	final Duration useful;

	private final boolean strict;

	final TransactionBoundary boundary;

	final CallBudget budget;

	/** The transaction at whose end the value is published, if not at the return. */
	@Nullable OpenTransaction owner;

	/** Transactions that were committed while the writer ran. */
	int commits;

	/** Transactions that were rolled back while the writer ran. */
	int rollbacks;

	/** Whether no transaction is around it that could roll its changes back. */
	boolean exposed;

	/** Whether its work ends later than its method. */
	boolean async;

	/** Whether its method runs in the transaction of its subscriber. */
	volatile boolean running;

	/** When the announcement was made, as of the system's nano time. */
	long announcedAt;

	private Announcement announcement = Announcement.NONE;

	private boolean ordered;

	private @Nullable RuntimeException refusal;

	private @Nullable NewValue value;

	private boolean valueless;

	private CacheTags tags = CacheTags.ALL;

	/**
	 * Creates a writer.
	 * @param useful the longest time that an old value can stay in Redis
	 * @param strict whether nothing is committed that cannot be announced
	 */
	CacheWrite(CacheKey key, String id, Duration useful, boolean strict, TransactionBoundary boundary,
			CallBudget budget) {
		this.key = key;
		this.id = id;
		this.useful = useful;
		this.strict = strict;
		this.boundary = boundary;
		this.budget = budget;
	}

	@Nullable NewValue value() {
		return this.value;
	}

	void value(@Nullable NewValue value) {
		this.value = this.valueless ? null : value;
	}

	/**
	 * Has the entry removed, whatever value there is to come.
	 */
	void dropValue() {
		this.valueless = true;
		this.value = null;
	}

	/**
	 * Returns which entries are to be invalidated, if the key names a cache as a whole.
	 */
	CacheTags tags() {
		return this.tags;
	}

	void tags(CacheTags newTags) {
		this.tags = newTags;
	}

	void announced(boolean locked) {
		this.announcement = Announcement.STANDS;
		this.ordered = locked;
	}

	void announcementFailed(boolean outcomeUnknown, RuntimeException failure) {
		this.announcement = outcomeUnknown ? Announcement.UNKNOWN : Announcement.FAILED;
		this.refusal = this.strict ? failure : null;
	}

	@Nullable RuntimeException refusal() {
		return this.refusal;
	}

	boolean isAnnouncing() {
		return !this.key.isWhole();
	}

	/**
	 * Returns whether it has left nothing in Redis, and certainly nothing in the database
	 * that a rollback does not undo.
	 */
	boolean isTraceless() {
		return isSilent() && this.commits == 0 && !this.exposed;
	}

	/**
	 * Returns whether a later write in the same transaction does all that this one does.
	 */
	boolean isReplacedBy(CacheWrite later) {
		return this.key.equals(later.key) && !this.key.isWhole();
	}

	boolean isSilent() {
		return this.announcement == Announcement.NONE;
	}

	boolean isAnnounced() {
		return this.announcement == Announcement.STANDS;
	}

	boolean isUnannounced() {
		return this.announcement == Announcement.FAILED || this.announcement == Announcement.UNKNOWN;
	}

	boolean isPerhapsAnnounced() {
		return this.announcement == Announcement.UNKNOWN;
	}

	/**
	 * Returns whether it was announced while the row was locked, so that its place among
	 * the commits is known.
	 */
	boolean isOrdered() {
		return this.ordered;
	}

	private enum Announcement {

		NONE, STANDS, FAILED, UNKNOWN

	}

	/**
	 * One of the things that a writer changes.
	 *
	 * @param key names the entry, or the cache as a whole
	 * @param value makes the value of the entry, or {@code null} if it is to be removed
	 * @param tags which entries are outdated, if the cache is named as a whole
	 */
	record Part(CacheKey key, @Nullable Valuation value, Function<@Nullable Object, CacheTags> tags) {

		private static final Log logger = LogFactory.getLog(CacheWriter.class);

		public static Part of(CacheKey key, @Nullable Valuation value) {
			return new Part(key, value, (result) -> CacheTags.ALL);
		}

		public static Part of(String cache, Function<@Nullable Object, CacheTags> tags) {
			return new Part(CacheKey.whole(cache), null, tags);
		}

		boolean isRemoval() {
			return this.value == null;
		}

		/**
		 * Makes the value. The change may be committed already: whatever is wrong with
		 * the value, the caller must not take it for a failure of the change.
		 * @param stamp the version that was known before the work
		 * @return the value, or {@code null} if the entry is to be removed
		 */
		@Nullable NewValue valueOf(@Nullable Object result, long stamp) {
			try {
				return (this.value != null) ? this.value.of(result, stamp) : null;
			}
			catch (Exception ex) {
				logger.warn("A value for cache '" + this.key.cache() + "' could not be made, its entry is removed: "
						+ ex.getMessage());
				return null;
			}
		}

		/**
		 * Says which entries are outdated. If that cannot be found out, all are.
		 * @param returned whether the work has returned
		 */
		void choose(CacheWrite write, @Nullable Object result, boolean returned) {
			try {
				write.tags(this.tags.apply(result));
			}
			catch (Exception ex) {
				if (returned) {
					logger.warn("Which entries of cache '" + this.key.cache()
							+ "' are to be invalidated is not known, all are: " + ex.getMessage());
				}
			}
		}

		@FunctionalInterface
		public interface Valuation {

			/**
			 * Returns the value.
			 * @param stamp the version that was known before the work
			 * @return the value, or {@code null} if the entry is to be removed
			 */
			@Nullable NewValue of(@Nullable Object result, long stamp);

		}

	}

}
