// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.blacklist.Revocation;
import io.ge.redis.blacklist.internal.RedisTokenBlacklist.Change;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.invocation.Times;
import io.ge.redis.core.outage.Waiting;

/**
 * A revocation that Redis has stored. Asks repeatedly, at growing intervals, which
 * instances do not know of it yet.
 */
final class StoredRevocation implements Revocation {

	private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(2);

	private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

	private final Change change;

	private final RowFeed feed;

	private final GuardedCalls calls;

	StoredRevocation(Change change, RowFeed feed, GuardedCalls calls) {
		this.change = change;
		this.feed = feed;
		this.calls = calls;
	}

	@Override
	public Duration timeToLive() {
		return this.change.timeToLive();
	}

	@Override
	public boolean awaitPropagation(Duration timeout) {
		try {
			return Waiting.awaitInterruptibly(propagation(timeout), (interrupt) -> new CancellationException());
		}
		catch (CancellationException ex) {
			return false;
		}
	}

	@Override
	public CompletionStage<Boolean> awaitPropagationAsync(Duration timeout) {
		return this.calls.handOver(propagation(timeout), (is) -> is, (is) -> {
		});
	}

	private CompletableFuture<Boolean> propagation(Duration timeout) {
		Times.millis("The timeout", timeout, 0);
		CompletableFuture<Boolean> known = new CompletableFuture<>();
		if (this.change.id().isEmpty()) {
			known.complete(true);
		}
		else {
			askUntil(System.nanoTime() + timeout.toNanos(), FIRST_PAUSE, known);
		}
		return known;
	}

	private void askUntil(long deadline, long pause, CompletableFuture<Boolean> known) {
		CompletableFuture<Long> asked;
		try {
			asked = this.feed.unaware(this.change.id());
		}
		catch (RuntimeException ex) {
			// On the thread of a timer it would go unnoticed
			known.completeExceptionally(ex);
			return;
		}
		asked.whenComplete((unaware, failure) -> {
			long left = deadline - System.nanoTime();
			// While Redis is unavailable the answer is unknown, and the question is
			// repeated
			if (failure != null && !(Waiting.cause(failure) instanceof RedisUnavailableException)) {
				known.completeExceptionally(new IllegalStateException(
						"Cannot determine which instances know of a revocation", Waiting.cause(failure)));
			}
			else if ((failure == null && unaware == 0) || left <= 0) {
				known.complete(failure == null && unaware == 0);
			}
			else if (!known.isDone()) {
				Executor later = CompletableFuture.delayedExecutor(Math.min(pause, left), TimeUnit.NANOSECONDS,
						Runnable::run);
				later.execute(() -> askUntil(deadline, Math.min(2 * pause, LONGEST_PAUSE), known));
			}
		});
	}

}
