// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

import io.ge.redis.cache.internal.engine.CacheKey;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The entries that Redis may still hold although the database has changed, because it did
 * not take their removal. This instance bypasses the cache for each until it is removed.
 * A writer that could not announce itself is open until its transaction has ended.
 * Entries older than the cache's TTL are dropped; beyond {@value #CAPACITY} the TTL is
 * the bound.
 */
final class CacheJournal {

	static final int CAPACITY = 100_000;

	private static final int MOST_WRITERS = 100;

	private static final int LOOKS_FOR_ROOM = 50;

	private static final Log logger = LogFactory.getLog(CacheJournal.class);

	private final Map<CacheKey, Note> notes = new ConcurrentHashMap<>();

	/** The removals that failed, in the order in which they are tried again. */
	private final Queue<CacheKey> deferred = new ConcurrentLinkedQueue<>();

	/** The same as a set. */
	private final Set<CacheKey> waiting = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean overflowing = new AtomicBoolean();

	boolean holds(CacheKey key) {
		return !this.notes.isEmpty() && this.notes.containsKey(key);
	}

	int size() {
		return this.notes.size();
	}

	void open(CacheKey key, String writer) {
		if (hasRoom(key)) {
			this.notes.compute(key, (same, note) -> Note.of(note).opened(writer));
		}
	}

	void forget(CacheKey key) {
		this.notes.computeIfPresent(key, (same, note) -> {
			Note closed = note.closed();
			return (closed.open() == 0 && !closed.due()) ? null : closed;
		});
	}

	/**
	 * A change is committed, and the entry is to be removed.
	 * @param wasOpen whether the writer was announced here
	 */
	void due(CacheKey key, String writer, boolean wasOpen, Duration useful) {
		long expiry = System.nanoTime() + useful.toNanos();
		if (hasRoom(key)) {
			this.notes.compute(key,
					(same, note) -> (wasOpen ? Note.of(note).closed() : Note.of(note)).becomingDue(writer, expiry));
		}
	}

	@Nullable Note due(CacheKey key) {
		Note note = this.notes.get(key);
		return (note != null && note.due()) ? note : null;
	}

	void defer(CacheKey key) {
		if (this.waiting.add(key)) {
			this.deferred.add(key);
		}
	}

	boolean hasDeferred() {
		return !this.deferred.isEmpty();
	}

	/**
	 * Takes removals to try again, dropping what has expired by itself.
	 * @param away whose server is unavailable; such an entry is the last of them then
	 */
	List<CacheKey> takeDeferred(int most, Predicate<CacheKey> away) {
		List<CacheKey> taken = new ArrayList<>();
		List<CacheKey> kept = new ArrayList<>();
		int attempts = this.waiting.size();
		for (int i = 0; i < attempts && taken.size() < most && hasDeferred(); i++) {
			CacheKey key = poll();
			if (key != null) {
				(away.test(key) ? kept : taken).add(key);
			}
		}
		kept.forEach(this::defer);
		return taken;
	}

	/**
	 * Takes the first entry.
	 * @return {@code null} if it need not be removed any more
	 */
	private @Nullable CacheKey poll() {
		CacheKey key = this.deferred.poll();
		if (key != null) {
			// First, since a removal that fails from here on defers it again
			this.waiting.remove(key);
		}
		return (key == null || isOver(key)) ? null : key;
	}

	private boolean isOver(CacheKey key) {
		Note note = this.notes.get(key);
		if (note == null || !note.due()) {
			return true;
		}
		return note.expiry() - System.nanoTime() < 0 && note.open() == 0 && this.notes.remove(key, note);
	}

	/**
	 * An entry was removed as of a note; what was noted since stays.
	 */
	void removed(CacheKey key, Note as) {
		this.notes.computeIfPresent(key, (same, note) -> {
			if (note.version() != as.version()) {
				return note;
			}
			return (note.open() == 0) ? null : note.settled();
		});
	}

	private boolean hasRoom(CacheKey key) {
		if (fits(key)) {
			this.overflowing.set(false);
			return true;
		}
		for (int i = 0; i < LOOKS_FOR_ROOM; i++) {
			CacheKey waits = poll();
			if (waits != null) {
				defer(waits);
			}
		}
		if (fits(key)) {
			return true;
		}
		if (this.overflowing.compareAndSet(false, true)) {
			logger.warn("More than " + CAPACITY + " cache entries changed while Redis was unavailable: "
					+ "further ones are left to their TTL");
		}
		return false;
	}

	private boolean fits(CacheKey key) {
		return this.notes.size() < CAPACITY || this.notes.containsKey(key);
	}

	/**
	 * The notes on one entry.
	 *
	 * @param due whether a change is committed
	 * @param expiry when the entry in Redis has expired, as of the system's nano time
	 */
	record Note(int open, boolean due, long version, long expiry, List<String> writers) {

		static Note of(@Nullable Note note) {
			return (note != null) ? note : new Note(0, false, 0, 0, List.of());
		}

		Note opened(String writer) {
			return new Note(this.open + 1, this.due, this.version, this.expiry, with(writer));
		}

		Note closed() {
			return new Note(Math.max(0, this.open - 1), this.due, this.version, this.expiry, this.writers);
		}

		Note becomingDue(String writer, long expires) {
			return new Note(this.open, true, this.version + 1, expires, with(writer));
		}

		Note settled() {
			return new Note(this.open, false, this.version, this.expiry, this.writers);
		}

		private List<String> with(String writer) {
			if (this.writers.contains(writer) || this.writers.size() >= MOST_WRITERS) {
				return this.writers;
			}
			List<String> all = new ArrayList<>(this.writers);
			all.add(writer);
			return List.copyOf(all);
		}

	}

}
