// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenStatus;
import org.jspecify.annotations.Nullable;

/**
 * The rows as this instance remembers them. Any number of threads read, while writers
 * wait for each other.
 * <p>
 * The memory of a revoked token lasts at least until the token has expired. So it is
 * reliable whatever its age, and remains when Redis has lost it. Blocks can end early:
 * their absence is reliable only while the memory is up to date.
 * <p>
 * The number of remembered tokens and sessions is limited. Beyond it the memory is
 * incomplete, until all rows are read again and there is room. Until then Redis is asked
 * about each token that is not known as revoked.
 */
final class LocalRows {

	/** Rows that are over are forgotten no earlier than Redis does it. */
	private static final long LATE = TimeUnit.SECONDS.toMillis(10);

	/** The most rows whose reasons are remembered; others are remembered without. */
	private static final int MOST_REASONS = 50_000;

	/** An entry with its key and its place in the map, about. */
	private static final long BYTES = 115;

	private static final long FEW = 1024;

	private final ReentrantLock writing = new ReentrantLock();

	private final ServerClock clock;

	private final Clocks clocks;

	private final long mostIds;

	/** Tokens and sessions by the fast half of their ids. */
	private final Map<Long, Entry> revoked = new ConcurrentHashMap<>();

	/** Everything else by the fast half of its id. */
	private final Map<Long, Entry> named = new ConcurrentHashMap<>();

	private final Map<Row.Id, Reason> reasons = new ConcurrentHashMap<>();

	/** Whether all tokens and sessions are in memory. */
	private volatile boolean complete = true;

	/** Whether one was left out since all rows were begun to be read. */
	private boolean leftOut;

	/** The number of tokens and sessions at which those that have ended are forgotten. */
	private long tidiedAt;

	public LocalRows(ServerClock clock, Clocks clocks, long mostIds) {
		this.clock = clock;
		this.clocks = clocks;
		this.mostIds = mostIds;
		this.tidiedAt = Math.min(mostIds, FEW);
	}

	void apply(Row row) {
		write(() -> add(row));
	}

	private void write(Runnable change) {
		this.writing.lock();
		try {
			change.run();
		}
		finally {
			this.writing.unlock();
		}
	}

	private void add(Row row) {
		Entry known = find(row);
		if (row.isRemoved()) {
			this.reasons.remove(row.id());
			if (known != null && row.kind() == RowKind.BLOCK) {
				known.standsUntil = 0;
			}
			return;
		}
		if (row.reason() != null && (this.reasons.size() < MOST_REASONS || this.reasons.containsKey(row.id()))) {
			this.reasons.put(row.id(), new Reason(row.reason(), row.standsUntil()));
		}
		if (known != null) {
			known.notBefore = Math.max(known.notBefore, notBefore(row));
			known.standsUntil = (row.kind() == RowKind.BLOCK) ? row.standsUntil()
					: Math.max(known.standsUntil, row.standsUntil());
		}
		else if (!row.kind().isOfTokens() || hasRoom()) {
			Map<Long, Entry> rows = rows(row.kind());
			rows.put(row.fast(), new Entry(row, notBefore(row), rows.get(row.fast())));
		}
		else {
			this.leftOut = true;
			this.complete = false;
		}
	}

	/**
	 * Returns the not-before of a row. A lost one counts as now, so that tokens issued
	 * later are not refused for ever.
	 */
	private long notBefore(Row row) {
		boolean lost = row.notBefore() == Row.LOST && this.clock.isKnown();
		return lost ? this.clock.micros(System.nanoTime()) : row.notBefore();
	}

	private boolean hasRoom() {
		boolean full = this.revoked.size() >= this.mostIds;
		if (this.leftOut || this.revoked.size() < this.tidiedAt) {
			return !full;
		}
		forgetEndedTokens();
		return !full || hasRoomFor(this.revoked.size());
	}

	/**
	 * Not each minute: there may be millions, and a thread of the driver does it.
	 */
	private void forgetEndedTokens() {
		long over = over();
		this.revoked.values().removeIf((entry) -> entry.isOver(over));
		this.tidiedAt = Math.min(this.mostIds, Math.max(FEW, 2L * this.revoked.size()));
	}

	boolean isComplete() {
		return this.complete;
	}

	/**
	 * Returns whether a number of rows would fit, and some more, so that the memory is
	 * not full at once.
	 */
	boolean hasRoomFor(long rows) {
		return rows < this.mostIds * 3 / 4;
	}

	/**
	 * Prepares for all rows to be read.
	 */
	void beginReading() {
		write(() -> {
			this.leftOut = false;
			forgetEndedTokens();
		});
	}

	/**
	 * All rows were read since {@link #beginReading}, and all changes since then were
	 * taken.
	 */
	void endReading() {
		write(() -> this.complete = !this.leftOut);
	}

	void keepBlocks(Set<Row.Id> met) {
		this.named.forEach((fast, first) -> {
			for (Entry entry = first; entry != null; entry = entry.next) {
				if (entry.isBlock() && !met.contains(new Row.Id(fast, entry.strong))) {
					entry.standsUntil = 0;
				}
			}
		});
	}

	void forgetEnded() {
		long over = over();
		write(() -> {
			this.named.values().removeIf((entry) -> entry.isOver(over));
			this.reasons.values().removeIf((reason) -> reason.standsUntil() <= over);
		});
	}

	/**
	 * Returns the status of a token, or {@code null} if Redis must be asked.
	 */
	@Nullable TokenStatus status(TokenIdentity token) {
		// Read before the rows: all may be read anew meanwhile, with one looked up before
		boolean complete = this.complete;
		String issuer = token.issuer();
		if (find(RowKind.TOKEN, issuer, token.id()) != null) {
			return TokenStatus.REVOKED;
		}
		// Unlike a token, a session may outlive its row
		Entry session = find(RowKind.SESSION, issuer, token.sessionId());
		if (session != null && session.standsUntil * 1000 >= this.clock.leastMicros(System.nanoTime())) {
			return TokenStatus.SESSION_REVOKED;
		}
		if (isOlder(find(RowKind.SUBJECT, issuer, token.subject()), token)) {
			return TokenStatus.SUBJECT_REVOKED;
		}
		if (isOlder(find(RowKind.CLIENT, issuer, token.clientId()), token)) {
			return TokenStatus.CLIENT_REVOKED;
		}
		boolean known = complete || (token.id() == null && token.sessionId() == null);
		return known ? TokenStatus.CLEAR : null;
	}

	private boolean isOlder(@Nullable Entry entry, TokenIdentity token) {
		if (entry == null) {
			return false;
		}
		// A change may arrive before the server's clock is known
		long now = this.clock.isKnown() ? this.clock.micros(System.nanoTime()) : Long.MAX_VALUE;
		return !this.clocks.isYounger(token, entry.notBefore, now);
	}

	boolean isOver(TokenIdentity token, long nanos) {
		return this.clocks.isOver(token, this.clock.micros(nanos));
	}

	boolean isBlocked(RowName name, long nanos) {
		Entry first = this.named.get(name.fast());
		Entry entry = (first != null) ? first.find(name.strong()) : null;
		return entry != null && entry.standsUntil * 1000 > this.clock.micros(nanos);
	}

	/**
	 * Returns why a row was written, or {@code null} if that is not known.
	 */
	@Nullable String reason(RowName name) {
		Reason reason = this.reasons.isEmpty() ? null : this.reasons.get(new Row.Id(name.fast(), name.strong()));
		return (reason != null) ? reason.text() : null;
	}

	public boolean holds(Row row) {
		Entry entry = find(row);
		return entry != null && entry.standsUntil > 0;
	}

	public Size size() {
		long blocks = this.named.values().stream().filter(Entry::isBlock).count();
		long notBefores = this.named.values().stream().filter((entry) -> entry.kind.isNotBefore()).count();
		return new Size(this.revoked.size(), this.complete, (int) notBefores, (int) blocks, this.reasons.size(),
				BYTES * (this.revoked.size() + this.named.size()));
	}

	private long over() {
		return this.clock.leastMicros(System.nanoTime()) / 1000 - LATE;
	}

	private Map<Long, Entry> rows(RowKind kind) {
		return kind.isOfTokens() ? this.revoked : this.named;
	}

	private @Nullable Entry find(Row row) {
		Entry first = rows(row.kind()).get(row.fast());
		return (first != null) ? first.find(row.strong()) : null;
	}

	/**
	 * The strong half is computed only if the fast one is known.
	 */
	private @Nullable Entry find(RowKind kind, @Nullable String issuer, @Nullable String text) {
		Entry first = (text != null) ? rows(kind).get(RowName.fast(kind, issuer, text, 1)) : null;
		return (first != null && text != null) ? first.find(new RowName(kind, issuer, text).strong()) : null;
	}

	/**
	 * A row, and the others whose ids have the same fast half.
	 */
	private static final class Entry {

		private final RowKind kind;

		private final long strong;

		private final @Nullable Entry next;

		private volatile long standsUntil;

		private volatile long notBefore;

		Entry(Row row, long notBefore, @Nullable Entry next) {
			this.kind = row.kind();
			this.strong = row.strong();
			this.next = next;
			this.standsUntil = row.standsUntil();
			this.notBefore = notBefore;
		}

		@Nullable Entry find(long wanted) {
			Entry entry = this;
			while (entry != null && entry.strong != wanted) {
				entry = entry.next;
			}
			return entry;
		}

		boolean isBlock() {
			return this.kind == RowKind.BLOCK && this.standsUntil > 0;
		}

		boolean isOver(long millis) {
			Entry entry = this;
			while (entry != null && entry.standsUntil <= millis) {
				entry = entry.next;
			}
			return entry == null;
		}

	}

	private record Reason(String text, long standsUntil) {
	}

	/**
	 * The numbers of remembered rows, and their size.
	 */
	public record Size(long ids, boolean exact, int notBefores, int blocks, int reasons, long bytes) {
	}

}
