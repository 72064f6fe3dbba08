// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.NewValue;
import org.jspecify.annotations.Nullable;

/**
 * A transaction, of a thread or of a subscriber, and what is changed in it: announced
 * right before it commits, while rows are locked, and resolved right after.
 */
class OpenTransaction {

	private final Lock lock = new ReentrantLock();

	volatile List<CacheWrite> writes = List.of();

	private volatile boolean committing;

	/** Set on another thread if the coordinator has ended it there. */
	private volatile boolean ended;

	boolean isOver() {
		return this.ended;
	}

	/**
	 * Returns whether an entry is changed in it. Nothing is any more once it has ended,
	 * although its thread may not have left it yet.
	 */
	boolean isWriting(CacheKey key) {
		return !this.ended && this.writes.stream().anyMatch((write) -> write.key.covers(key));
	}

	/**
	 * Takes a writer before its method runs.
	 * @return whether it was not too late
	 */
	boolean begin(CacheWrite write) {
		write.owner = this;
		return true;
	}

	/**
	 * Takes the value of a writer whose method has returned, or does not run.
	 * @return whether it was not too late
	 */
	boolean returned(CacheWrite write, @Nullable NewValue value) {
		if (isOver()) {
			return false;
		}
		write.value((write.commits == 0) ? value : null);
		return add(write);
	}

	/**
	 * Adds a write. It takes the place of an earlier one of the same entry, unless that
	 * has left something in Redis or in the database.
	 * @return whether it was not too late
	 */
	final boolean add(CacheWrite added) {
		return locked(() -> {
			if (this.ended) {
				return false;
			}
			List<CacheWrite> next = new ArrayList<>(this.writes.size() + 1);
			for (CacheWrite write : this.writes) {
				if (this.committing || !write.isReplacedBy(added)) {
					next.add(write);
				}
				else if (write.running) {
					// The order of two at a time is unknown
					write.dropValue();
					added.dropValue();
					next.add(write);
				}
				else if (!write.isTraceless()) {
					write.value(null);
					next.add(write);
				}
			}
			next.add(added);
			this.writes = next;
			return true;
		});
	}

	final boolean unlessCommitting(BooleanSupplier action) {
		return locked(() -> !this.committing && !this.ended && action.getAsBoolean());
	}

	final void committing() {
		locked(() -> this.committing = true);
	}

	final boolean end() {
		return locked(() -> {
			boolean first = !this.ended;
			this.ended = true;
			return first;
		});
	}

	private boolean locked(BooleanSupplier action) {
		this.lock.lock();
		try {
			return action.getAsBoolean();
		}
		finally {
			this.lock.unlock();
		}
	}

}
