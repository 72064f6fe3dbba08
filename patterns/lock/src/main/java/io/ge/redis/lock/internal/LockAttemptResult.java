// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.lock.BoundLocks;
import io.ge.redis.lock.LockAcquireEvent.Outcome;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.lock.internal.LockDecision.Refused;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@link LockAttempt}: the locks, or why there are none.
 *
 * @param listener notified of the outcome, on a thread of the application
 */
record LockAttemptResult(LockSettings settings, @Nullable HeldLocks locks, @Nullable Refused refused,
		@Nullable Throwable failure, Consumer<Outcome> listener, @Nullable TransactionLocks transaction) {

	static LockAttemptResult granted(LockSettings settings) {
		return new LockAttemptResult(settings, new HeldLocks(BoundLocks.granted(settings.name()), List.of(), List.of()),
				null, null, (outcome) -> {
				}, null);
	}

	LockAttemptResult keptBy(@Nullable TransactionLocks keeping) {
		return new LockAttemptResult(this.settings, this.locks, this.refused, this.failure, this.listener, keeping);
	}

	HeldLocks take() {
		HeldLocks taken = takeIfAcquired();
		if (taken == null) {
			throw new LockNotAcquiredException(this.settings.name(),
					(this.refused != null) ? this.refused.retryAfter() : null);
		}
		return taken;
	}

	/**
	 * Takes the locks, or returns {@code null} if one was not acquired, and so none.
	 */
	@Nullable HeldLocks takeIfAcquired() {
		this.listener.accept((this.locks != null) ? Outcome.ACQUIRED
				: (this.refused != null) ? Outcome.NOT_ACQUIRED : Outcome.ERROR);
		if (this.failure == null) {
			if (this.locks != null && this.transaction != null) {
				this.transaction.keep(this.locks);
			}
			return this.locks;
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
	 * Releases the locks of an abandoned call.
	 */
	void releaseUnused() {
		this.listener.accept(Outcome.NOT_ACQUIRED);
		if (this.locks != null) {
			this.locks.releaseUnused();
		}
	}

}
