// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A set of 128-bit ids with their ends, read by any number of threads without a lock
 * while one thread at a time adds.
 * <p>
 * Open addressing with linear probing in three arrays, 20 bytes a slot. At least half of
 * the slots and at most three quarters are in use after growing, so an id costs 27 to 40
 * bytes: below 40 MiB for a million. The set is cut into {@value #SEGMENTS} segments that
 * grow one after the other, so that growing needs little memory beside.
 * <p>
 * Nothing is removed in place, which would break chains that a reader follows. Expired
 * ids are dropped when their segment is full and is rebuilt. The fast half is written
 * last and marks the slot as taken: a reader sees an id as a whole or not yet.
 */
final class KnownIds {

	static final int SEGMENTS = 64;

	private static final int SEGMENT_BITS = 6;

	private static final int SMALLEST = 16;

	/** Seconds before this instant, 2020-01-01, are not needed. */
	private static final long EPOCH_SECONDS = 1_577_836_800;

	private static final VarHandle SLOTS = MethodHandles.arrayElementVarHandle(long[].class);

	private final AtomicReferenceArray<Table> tables = new AtomicReferenceArray<>(SEGMENTS);

	KnownIds() {
		for (int i = 0; i < SEGMENTS; i++) {
			this.tables.set(i, new Table(SMALLEST));
		}
	}

	/**
	 * Returns whether an id with this fast half may be in the set; {@code false} is
	 * certain.
	 */
	boolean mayHold(long fast) {
		return this.tables.get(segment(fast)).find(fast, true, 0) >= 0;
	}

	boolean holds(long fast, long strong) {
		return this.tables.get(segment(fast)).find(fast, false, strong) >= 0;
	}

	/**
	 * Returns whether an id is in the set and has not ended, to the second.
	 */
	boolean holds(long fast, long strong, long nowMillis) {
		Table table = this.tables.get(segment(fast));
		int found = table.find(fast, false, strong);
		return found >= 0 && table.until[found] >= seconds(nowMillis);
	}

	/**
	 * Adds an id, or prolongs it.
	 * @param fast the fast half, not zero
	 */
	void add(long fast, long strong, long untilMillis, long nowMillis) {
		int segment = segment(fast);
		Table table = this.tables.get(segment);
		if (table.isFull()) {
			table = table.withoutEnded(seconds(nowMillis));
			table.add(fast, strong, secondsUp(untilMillis));
			this.tables.set(segment, table);
		}
		else {
			table.add(fast, strong, secondsUp(untilMillis));
		}
	}

	long size() {
		long size = 0;
		for (int i = 0; i < SEGMENTS; i++) {
			size += this.tables.get(i).used;
		}
		return size;
	}

	long bytes() {
		long bytes = 0;
		for (int i = 0; i < SEGMENTS; i++) {
			bytes += (long) this.tables.get(i).fast.length * (2 * Long.BYTES + Integer.BYTES);
		}
		return bytes;
	}

	void forgetEnded(long nowMillis) {
		for (int i = 0; i < SEGMENTS; i++) {
			this.tables.set(i, this.tables.get(i).withoutEnded(seconds(nowMillis)));
		}
	}

	private static int segment(long fast) {
		return (int) (fast >>> Long.SIZE - SEGMENT_BITS);
	}

	private static int seconds(long millis) {
		return (int) Math.max(0, Math.min(Integer.MAX_VALUE, Math.floorDiv(millis, 1000) - EPOCH_SECONDS));
	}

	private static int secondsUp(long millis) {
		return seconds(millis + 999);
	}

	private static final class Table {

		private final long[] fast;

		private final long[] strong;

		private final int[] until;

		private volatile int used;

		Table(int capacity) {
			this.fast = new long[capacity];
			this.strong = new long[capacity];
			this.until = new int[capacity];
		}

		boolean isFull() {
			return this.used >= this.fast.length - this.fast.length / 4;
		}

		int find(long wanted, boolean any, long confirmation) {
			for (int i = start(wanted);; i = next(i)) {
				long found = (long) SLOTS.getAcquire(this.fast, i);
				if (found == 0) {
					return -1;
				}
				if (found == wanted && (any || this.strong[i] == confirmation)) {
					return i;
				}
			}
		}

		void add(long first, long second, int end) {
			int present = find(first, false, second);
			if (present >= 0) {
				this.until[present] = Math.max(this.until[present], end);
				return;
			}
			int i = start(first);
			while (this.fast[i] != 0) {
				i = next(i);
			}
			this.strong[i] = second;
			this.until[i] = end;
			SLOTS.setRelease(this.fast, i, first);
			this.used = this.used + 1;
		}

		Table withoutEnded(int now) {
			int standing = 0;
			for (int i = 0; i < this.fast.length; i++) {
				if (this.fast[i] != 0 && this.until[i] >= now) {
					standing++;
				}
			}
			Table made = new Table(Math.max(SMALLEST, 2 * standing));
			for (int i = 0; i < this.fast.length; i++) {
				if (this.fast[i] != 0 && this.until[i] >= now) {
					made.add(this.fast[i], this.strong[i], this.until[i]);
				}
			}
			return made;
		}

		private int start(long wanted) {
			return (int) ((wanted & 0xFFFFFFFFL) * this.fast.length >>> Integer.SIZE);
		}

		private int next(int i) {
			return (i + 1 < this.fast.length) ? i + 1 : 0;
		}

	}

}
