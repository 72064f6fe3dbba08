/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist.engine;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenStatus;
import org.jspecify.annotations.Nullable;

/**
 * The rows as this instance remembers them. Any number of threads look, while those that
 * change something wait for each other.
 * <p>
 * The memory of revoked tokens only grows, so it can be relied upon whenever it was
 * heard, and stays when Redis has lost it. Blocks can end early: that nothing is known is
 * true only while the memory is up to date.
 * <p>
 * Of revoked tokens and sessions, which may be many, there are two generations at most:
 * the one that answers, and the next one while all rows are being read into it. Up to a
 * number of them a generation is exact. Beyond, it is a filter, which cannot forget what
 * has ended and so is replaced when it is full; what it holds must be confirmed by Redis.
 * Everything that is heard while rows are read goes into both, so the next one lacks
 * nothing when it takes over.
 */
public final class LocalRows {

	/** Rows that are over are forgotten no earlier than Redis does it. */
	private static final long LATE = TimeUnit.SECONDS.toMicros(10);

	/** Of more rows it is only remembered that they stand, not why. */
	private static final int MOST_REASONS = 50_000;

	private final ReentrantLock writing = new ReentrantLock();

	private final ServerClock clock;

	private final Clocks clocks;

	private final long mostExact;

	/** Tokens and sessions. */
	private volatile RevokedIds revoked = new KnownIds();

	private @Nullable RevokedIds next;

	/** Everything else. */
	private final KnownIds named = new KnownIds();

	/** Not-befores. Looked up for ids that are known only. */
	private final Map<Row.Id, Long> details = new ConcurrentHashMap<>();

	/** Ends of blocks. */
	private final Map<Row.Id, Long> blocks = new ConcurrentHashMap<>();

	private final Map<Row.Id, Reason> reasons = new ConcurrentHashMap<>();

	public LocalRows(ServerClock clock, Clocks clocks, long mostExact) {
		this.clock = clock;
		this.clocks = clocks;
		this.mostExact = mostExact;
	}

	void apply(Row row) {
		apply(row, false);
	}

	/**
	 * Takes a row of a page, which the next generation needs if there is one.
	 */
	void applyRead(Row row) {
		apply(row, true);
	}

	private void apply(Row row, boolean read) {
		this.writing.lock();
		try {
			add(row, !read || this.next == null);
		}
		finally {
			this.writing.unlock();
		}
	}

	private void add(Row row, boolean toPresent) {
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
		// Last, since only what is found here is looked up there
		long over = surelyOver() / 1000;
		if (!row.kind().isOfTokens()) {
			this.named.add(row.fast(), row.strong(), row.standsUntil(), over);
			return;
		}
		if (toPresent) {
			this.revoked.add(row.fast(), row.strong(), row.standsUntil(), over);
		}
		if (this.next != null) {
			this.next.add(row.fast(), row.strong(), row.standsUntil(), over);
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

	boolean isFull() {
		RevokedIds ids = this.revoked;
		return (ids instanceof IdFilter filter) ? filter.isFull() : ids.size() > this.mostExact;
	}

	/**
	 * Prepares for all rows to be read, from now on.
	 * @param renew whether to begin a new generation also where the present one would do
	 */
	void beginReading(long count, boolean renew) {
		this.writing.lock();
		try {
			boolean exact = this.revoked instanceof KnownIds;
			// Not back and forth where the number is about the greatest that is exact
			boolean exactNext = count <= (exact ? (renew ? this.mostExact / 4 * 3 : this.mostExact)
					: this.mostExact / 2);
			boolean keep = exact && exactNext && !renew;
			this.next = keep ? null : (exactNext ? new KnownIds() : new IdFilter(count + count / 2 + 16));
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
			if (this.next != null) {
				this.revoked = this.next;
				this.next = null;
			}
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
		RevokedIds ids = this.revoked;
		Boolean revoked = isRevoked(ids, RowKind.TOKEN, issuer, token.id());
		if (Boolean.TRUE.equals(revoked)) {
			return TokenStatus.REVOKED;
		}
		Boolean sessionRevoked = isRevoked(ids, RowKind.SESSION, issuer, token.sessionId());
		if (Boolean.TRUE.equals(sessionRevoked)) {
			return TokenStatus.SESSION_REVOKED;
		}
		if (isOlder(RowKind.SUBJECT, issuer, token.subject(), token)) {
			return TokenStatus.SUBJECT_REVOKED;
		}
		if (isOlder(RowKind.CLIENT, issuer, token.clientId(), token)) {
			return TokenStatus.CLIENT_REVOKED;
		}
		return (revoked != null && sessionRevoked != null) ? TokenStatus.CLEAR : null;
	}

	/**
	 * Tokens of a session may be issued after its row has ended, unlike a token that is
	 * over itself when its row is.
	 * @return whether it is revoked, or {@code null} if Redis must be asked
	 */
	private @Nullable Boolean isRevoked(RevokedIds ids, RowKind kind, @Nullable String issuer, @Nullable String text) {
		if (text == null) {
			return false;
		}
		long fast = RowName.fast(kind, issuer, text, 1);
		if (!ids.mayHold(fast)) {
			return false;
		}
		if (!(ids instanceof KnownIds exact)) {
			return null;
		}
		long strong = new RowName(kind, issuer, text).strong();
		return (kind != RowKind.SESSION) ? exact.holds(fast, strong)
				: exact.holds(fast, strong, this.clock.leastMicros(System.nanoTime()) / 1000);
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
		// A change may arrive before anything is known of the server's clock
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
		RevokedIds ids = this.revoked;
		this.writing.lock();
		try {
			long bytes = ids.bytes() + ((this.next != null) ? this.next.bytes() : 0) + this.named.bytes();
			return new Size(ids.size(), ids instanceof KnownIds, this.details.size(), this.blocks.size(),
					this.reasons.size(), bytes);
		}
		finally {
			this.writing.unlock();
		}
	}

	private long surelyOver() {
		return this.clock.leastMicros(System.nanoTime()) - LATE;
	}

	private record Reason(String text, long standsUntil) {
	}

	/**
	 * How much is remembered.
	 */
	public record Size(long ids, boolean exact, int notBefores, int blocks, int reasons, long bytes) {
	}

}
