// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

/**
 * As of when a reader sees the database.
 *
 * @param transactional whether it is in a transaction, which may see it as it was when
 * the transaction began
 * @param dated whether it is known when that was
 * @param began when it was, by {@link System#nanoTime()}
 */
public record Snapshot(boolean transactional, boolean dated, long began) {

	/** The database as it is. */
	public static final Snapshot NONE = new Snapshot(false, false, 0);

	/** A transaction of which nobody knows when it began. */
	public static final Snapshot UNDATED = new Snapshot(true, false, 0);

	public static Snapshot since(long began) {
		return new Snapshot(true, true, began);
	}

	/**
	 * Returns how old the transaction is.
	 * @return milliseconds, rounded up; more than anybody remembers if it is not known,
	 * and -1 if there is none
	 */
	public long ageMillis() {
		if (!this.transactional) {
			return -1;
		}
		return this.dated ? (System.nanoTime() - this.began) / 1_000_000 + 1 : Integer.MAX_VALUE;
	}

}
