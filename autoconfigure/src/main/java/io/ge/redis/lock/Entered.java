/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.lock.LockAcquireEvent.Outcome;
import io.ge.redis.lock.LockDecision.Refused;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@link Entering}: the locks, or why there are none. Publishes the outcome
 * once, on a thread of the application.
 */
final class Entered {

	private final LockSettings settings;

	private final @Nullable Entry entry;

	private final @Nullable Refused refused;

	private final @Nullable Throwable failure;

	private final Consumer<Outcome> listener;

	private final AtomicBoolean told = new AtomicBoolean();

	private @Nullable KeptLocks transaction;

	Entered(LockSettings settings, @Nullable Entry entry, @Nullable Refused refused, @Nullable Throwable failure,
			Consumer<Outcome> listener) {
		this.settings = settings;
		this.entry = entry;
		this.refused = refused;
		this.failure = failure;
		this.listener = listener;
	}

	/**
	 * Lets a transaction, if there is one, keep the locks when they are taken.
	 */
	Entered keptBy(@Nullable KeptLocks keeping) {
		this.transaction = keeping;
		return this;
	}

	/**
	 * Takes the locks.
	 * @throws LockNotAcquiredException if one was not acquired, and so none
	 */
	Entry take() {
		Entry taken = takeIfAcquired();
		if (taken == null) {
			throw new LockNotAcquiredException(this.settings.name(),
					(this.refused != null) ? this.refused.retryAfter() : null);
		}
		return taken;
	}

	/**
	 * Takes the locks, or returns {@code null} if one was not acquired, and so none.
	 */
	@Nullable Entry takeIfAcquired() {
		tell((this.entry != null) ? Outcome.ACQUIRED : (this.refused != null) ? Outcome.NOT_ACQUIRED : Outcome.ERROR);
		if (this.failure == null) {
			if (this.entry != null && this.transaction != null) {
				this.transaction.keep(this.entry);
			}
			return this.entry;
		}
		if (this.failure instanceof RedisUnavailableException unavailable) {
			throw unavailable.ofCaller(this.settings.displayName());
		}
		if (this.failure instanceof Error error) {
			throw error;
		}
		throw (this.failure instanceof RuntimeException unchecked) ? unchecked : new CompletionException(this.failure);
	}

	/**
	 * Gives up the locks for an abandoned call.
	 */
	void giveBack() {
		tell(Outcome.NOT_ACQUIRED);
		if (this.entry != null) {
			this.entry.giveBack();
		}
	}

	private void tell(Outcome outcome) {
		if (this.told.compareAndSet(false, true)) {
			this.listener.accept(outcome);
		}
	}

}
