// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

/**
 * The time as of which a reader sees the database.
 *
 * @param transactional whether it is in a transaction, which may see it as it was when
 * the transaction began
 * @param dated whether the begin is known
 * @param began the begin, by {@link System#nanoTime()}
 */
public record Snapshot(boolean transactional, boolean dated, long began) {

	/** The database as it is. */
	public static final Snapshot NONE = new Snapshot(false, false, 0);

	/** A transaction whose begin is unknown. */
	public static final Snapshot UNDATED = new Snapshot(true, false, 0);

	public static Snapshot since(long began) {
		return new Snapshot(true, true, began);
	}

	/**
	 * Returns the age of the transaction.
	 * @return milliseconds, rounded up; more than writers are remembered if it is
	 * unknown, and -1 if there is none
	 */
	public long ageMillis() {
		if (!this.transactional) {
			return -1;
		}
		return this.dated ? (System.nanoTime() - this.began) / 1_000_000 + 1 : Integer.MAX_VALUE;
	}

}
