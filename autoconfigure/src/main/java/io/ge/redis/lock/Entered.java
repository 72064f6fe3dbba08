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
import org.jspecify.annotations.Nullable;

/**
 * The result of {@link Entering}: the locks, or why there are none. Tells of the attempt
 * once, on a thread of the application.
 */
final class Entered {

	private final String lock;

	private final @Nullable Entry entry;

	private final @Nullable Throwable failure;

	private final Consumer<Outcome> listener;

	private final AtomicBoolean told = new AtomicBoolean();

	Entered(String lock, @Nullable Entry entry, @Nullable Throwable failure, Consumer<Outcome> listener) {
		this.lock = lock;
		this.entry = entry;
		this.failure = failure;
		this.listener = listener;
	}

	/**
	 * Takes the locks.
	 * @throws LockNotAcquiredException if one was not acquired, and so none
	 */
	Entry take() {
		if (this.entry != null) {
			tell(Outcome.ACQUIRED);
			return this.entry;
		}
		tell((this.failure instanceof LockNotAcquiredException) ? Outcome.NOT_ACQUIRED : Outcome.ERROR);
		if (this.failure instanceof RedisUnavailableException unavailable) {
			throw unavailable.ofCaller(this.lock);
		}
		if (this.failure instanceof Error error) {
			throw error;
		}
		throw (this.failure instanceof RuntimeException unchecked) ? unchecked : new CompletionException(this.failure);
	}

	/**
	 * Gives back what nobody wants any more.
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
