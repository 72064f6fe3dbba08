/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import io.ge.redis.cache.behind.PendingChange;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * The result of an asynchronous reader, not judged yet.
 *
 * @param source the source
 * @param scope what the call began in
 * @param snapshot as of when it sees the database
 * @param budget bounds its waiting for Redis
 * @param token by which the value is kept in memory, or {@code null}
 * @param question what was asked, or {@code null} if nothing was
 * @param lookup what was answered
 * @param held the value if it was in memory
 * @param second whether it has asked once before, and the entry was of no use
 * @param unreadable whether that could not be read
 * @param pending what waits for the store, if the cache is written behind; {@code null}
 * if that is not known
 */
record LaterLookup(LaterSource source, LaterScope scope, Snapshot snapshot, CallBudget budget,
		@Nullable NearToken token, @Nullable CacheQuestion question, CacheLookup lookup, @Nullable NearValue held,
		boolean second, boolean unreadable, @Nullable PendingChange pending) {

	static final PendingChange NO_CHANGE = new PendingChange(null);

	LaterLookup with(CacheLookup newLookup) {
		return new LaterLookup(this.source, this.scope, this.snapshot, this.budget, this.token, this.question,
				newLookup, this.held, this.second, this.unreadable, this.pending);
	}

	LaterLookup with(@Nullable PendingChange newPending) {
		return new LaterLookup(this.source, this.scope, this.snapshot, this.budget, this.token, this.question,
				this.lookup, this.held, this.second, this.unreadable, newPending);
	}

	LaterLookup with(@Nullable NearToken newToken) {
		return new LaterLookup(this.source, this.scope, this.snapshot, this.budget, newToken, this.question,
				this.lookup, this.held, this.second, this.unreadable, this.pending);
	}

	/**
	 * Returns what is asked once more, since the entry is of no use.
	 */
	LaterLookup again(boolean wasUnreadable) {
		return new LaterLookup(this.source, this.scope, this.snapshot, this.budget, null,
				(this.question != null) ? this.question.replacing() : null, CacheLookup.Load.BYPASS, null, true,
				wasUnreadable, this.pending);
	}

}
