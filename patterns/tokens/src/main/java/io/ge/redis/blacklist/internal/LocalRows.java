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
 * The memory of revoked tokens only grows, so it is reliable whatever its age, and
 * remains when Redis has lost it. Blocks can end early: their absence is reliable only
 * while the memory is up to date.
 * <p>
 * The number of remembered tokens and sessions is limited. Beyond it the memory is
 * incomplete, until all rows are read again and there is room. Until then Redis is asked
 * about each token that is not known as revoked.
 */
final class LocalRows {

	/** Rows that are over are forgotten no earlier than Redis does it. */
	private static final long LATE = TimeUnit.SECONDS.toMicros(10);

	/** The most rows whose reasons are remembered; others are remembered without. */
	private static final int MOST_REASONS = 50_000;

	private final ReentrantLock writing = new ReentrantLock();

	private final ServerClock clock;

	private final Clocks clocks;

	private final long mostIds;

	/** Tokens and sessions. */
	private final KnownIds revoked = new KnownIds();

	/** Whether all tokens and sessions are in memory. */
	private volatile boolean complete = true;

	/** Whether one was left out since all rows were begun to be read. */
	private boolean leftOut;

	/** Everything else. */
	private final KnownIds named = new KnownIds();

	/** Not-befores, read for known ids only. */
	private final Map<Row.Id, Long> details = new ConcurrentHashMap<>();

	private final Map<Row.Id, Long> blocks = new ConcurrentHashMap<>();

	private final Map<Row.Id, Reason> reasons = new ConcurrentHashMap<>();

	public LocalRows(ServerClock clock, Clocks clocks, long mostIds) {
		this.clock = clock;
		this.clocks = clocks;
		this.mostIds = mostIds;
	}

	void apply(Row row) {
		this.writing.lock();
		try {
			add(row);
		}
		finally {
			this.writing.unlock();
		}
	}

	private void add(Row row) {
		if (row.isRemoved()) {
			this.blocks.remove(row.id());
			this.reasons.remove(row.id());
			return;
		}
		if (row.kind().isNotBefore()) {
			this.details.merge(row.id(), notBefore(row), Math::max);
		}
		else if (row.kind() == RowKind.BLOCK) {
			this.blocks.put(row.id(), row.standsUntil());
		}
		if (row.reason() != null && (this.reasons.size() < MOST_REASONS || this.reasons.containsKey(row.id()))) {
			this.reasons.put(row.id(), new Reason(row.reason(), row.standsUntil()));
		}
		// Last, since only ids found here are read there
		long over = surelyOver() / 1000;
		if (!row.kind().isOfTokens()) {
			this.named.add(row.fast(), row.strong(), row.standsUntil(), over);
			return;
		}
		if (this.revoked.holds(row.fast(), row.strong()) || hasRoom(over)) {
			this.revoked.add(row.fast(), row.strong(), row.standsUntil(), over);
		}
		else {
			this.leftOut = true;
			this.complete = false;
		}
	}

	/**
	 * One that was lost is not after now, since it was given by the clock that now is:
	 * tokens that are issued from now on are not refused by it for ever.
	 */
	private long notBefore(Row row) {
		boolean lost = row.notBefore() == Row.LOST && this.clock.isKnown();
		return lost ? this.clock.micros(System.nanoTime()) : row.notBefore();
	}

	private boolean hasRoom(long over) {
		if (this.revoked.size() < this.mostIds) {
			return true;
		}
		if (this.leftOut) {
			return false;
		}
		this.revoked.forgetEnded(over);
		return hasRoomFor(this.revoked.size());
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
		this.writing.lock();
		try {
			this.leftOut = false;
			this.revoked.forgetEnded(surelyOver() / 1000);
		}
		finally {
			this.writing.unlock();
		}
	}

	/**
	 * All rows were read since {@link #beginReading}, and all changes since then were
	 * taken.
	 */
	void endReading() {
		this.writing.lock();
		try {
			this.complete = !this.leftOut;
		}
		finally {
			this.writing.unlock();
		}
	}

	void keepBlocks(Set<Row.Id> met) {
		this.blocks.keySet().retainAll(met);
	}

	void forgetEnded() {
		long over = surelyOver();
		long notNeeded = over - this.clocks.longestNeed().toMillis() * 1000;
		this.details.values().removeIf((notBefore) -> notBefore < notNeeded);
		this.blocks.values().removeIf((until) -> until * 1000 <= over);
		this.reasons.values().removeIf((reason) -> reason.standsUntil() * 1000 <= over);
	}

	/**
	 * Returns the status of a token, or {@code null} if Redis must be asked.
	 */
	@Nullable TokenStatus status(TokenIdentity token) {
		String issuer = token.issuer();
		if (isRevoked(RowKind.TOKEN, issuer, token.id())) {
			return TokenStatus.REVOKED;
		}
		if (isRevoked(RowKind.SESSION, issuer, token.sessionId())) {
			return TokenStatus.SESSION_REVOKED;
		}
		if (isOlder(RowKind.SUBJECT, issuer, token.subject(), token)) {
			return TokenStatus.SUBJECT_REVOKED;
		}
		if (isOlder(RowKind.CLIENT, issuer, token.clientId(), token)) {
			return TokenStatus.CLIENT_REVOKED;
		}
		boolean known = this.complete || (token.id() == null && token.sessionId() == null);
		return known ? TokenStatus.CLEAR : null;
	}

	/**
	 * Tokens of a session may be issued after its row has ended, unlike a token that is
	 * over itself when its row is.
	 */
	private boolean isRevoked(RowKind kind, @Nullable String issuer, @Nullable String text) {
		if (text == null) {
			return false;
		}
		long fast = RowName.fast(kind, issuer, text, 1);
		if (!this.revoked.mayHold(fast)) {
			return false;
		}
		long strong = new RowName(kind, issuer, text).strong();
		return (kind != RowKind.SESSION) ? this.revoked.holds(fast, strong)
				: this.revoked.holds(fast, strong, this.clock.leastMicros(System.nanoTime()) / 1000);
	}

	private boolean isOlder(RowKind kind, @Nullable String issuer, @Nullable String text, TokenIdentity token) {
		if (text == null) {
			return false;
		}
		long fast = RowName.fast(kind, issuer, text, 1);
		if (!this.named.mayHold(fast)) {
			return false;
		}
		Long notBefore = this.details.get(new Row.Id(fast, new RowName(kind, issuer, text).strong()));
		// A change may arrive before the server's clock is known
		long now = this.clock.isKnown() ? this.clock.micros(System.nanoTime()) : Long.MAX_VALUE;
		return notBefore != null && !this.clocks.isYounger(token, notBefore, now);
	}

	boolean isOver(TokenIdentity token, long nanos) {
		return this.clocks.isOver(token, this.clock.micros(nanos));
	}

	boolean isBlocked(RowName name, long nanos) {
		long fast = name.fast();
		if (!this.named.mayHold(fast)) {
			return false;
		}
		Long until = this.blocks.get(new Row.Id(fast, name.strong()));
		return until != null && until * 1000 > this.clock.micros(nanos);
	}

	/**
	 * Returns why a row was written, or {@code null} if that is not known.
	 */
	@Nullable String reason(RowName name) {
		Reason reason = this.reasons.isEmpty() ? null : this.reasons.get(new Row.Id(name.fast(), name.strong()));
		return (reason != null) ? reason.text() : null;
	}

	public boolean mayHold(RowKind kind, long fast) {
		return (kind.isOfTokens() ? this.revoked : this.named).mayHold(fast);
	}

	public Size size() {
		return new Size(this.revoked.size(), this.complete, this.details.size(), this.blocks.size(),
				this.reasons.size(), this.revoked.bytes() + this.named.bytes());
	}

	private long surelyOver() {
		return this.clock.leastMicros(System.nanoTime()) - LATE;
	}

	private record Reason(String text, long standsUntil) {
	}

	/**
	 * The numbers of remembered rows, and their size.
	 */
	public record Size(long ids, boolean exact, int notBefores, int blocks, int reasons, long bytes) {
	}

}
