// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.CacheEvent.Outcome;
import io.ge.redis.cache.internal.engine.NewValue;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import org.jspecify.annotations.Nullable;

/**
 * The steps of writers in Redis before and after a commit, several at once.
 */
final class WriteSteps {

	private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

	private final Supplier<CacheEngine> engine;

	private final GuardEvents events;

	WriteSteps(Supplier<CacheEngine> engine, GuardEvents events) {
		this.engine = engine;
		this.events = events;
	}

	/**
	 * Announces the writers that need it.
	 * @param locked whether their rows are locked
	 * @return completes when that was tried, never exceptionally
	 */
	CompletableFuture<Void> announce(List<CacheWrite> writes, boolean locked) {
		List<CacheWrite> sorted = writes;
		if (writes.size() > 1) {
			sorted = new ArrayList<>(writes);
			sorted.sort(Comparator.comparing((write) -> write.id));
		}
		CompletableFuture<Void> all = DONE;
		for (CacheWrite write : sorted) {
			boolean prolongs = locked && write.isAnnounced() && !write.isOrdered();
			boolean fresh = prolongs
					&& System.nanoTime() - write.announcedAt < this.engine.get().intentTimeout().toNanos() / 2;
			if (write.isAnnouncing() && !write.isUnannounced() && !fresh) {
				write.announced(locked && !prolongs);
				write.announcedAt = System.nanoTime();
				all = both(all, this.engine.get().announce(write, prolongs));
			}
		}
		return all;
	}

	/**
	 * Announces writers right before a commit, while their rows are locked.
	 * @return fails if one is not announced that must be
	 */
	CompletionStage<?> announceCommit(List<CacheWrite> writes) {
		return announce(writes, true).thenRun(() -> requireAnnounced(writes));
	}

	/**
	 * Completes when two steps have.
	 */
	static CompletableFuture<Void> both(CompletableFuture<Void> one, CompletableFuture<?> other) {
		return (other.isDone() && !other.isCompletedExceptionally()) ? one : CompletableFuture.allOf(one, other);
	}

	/**
	 * Checks that all writers are announced that must be.
	 * @throws RuntimeException if one is not. It must not be a
	 * {@link org.springframework.transaction.TransactionException}, for which Spring does
	 * not roll back
	 */
	static void requireAnnounced(Collection<CacheWrite> writes) {
		for (CacheWrite write : writes) {
			RuntimeException refusal = write.refusal();
			if (refusal != null) {
				throw refusal;
			}
		}
	}

	/**
	 * Completes a writer whose work is over.
	 * @param failed whether the work has failed
	 * @return completes with the end, never exceptionally
	 */
	CompletableFuture<CacheEvent.Write> end(CacheWrite write, boolean failed) {
		boolean undone = write.isTraceless() ? (failed || write.rollbacks > 0)
				: (failed && write.isOrdered() && write.commits == 0);
		return undone ? rollBack(write) : resolve(write);
	}

	CompletableFuture<List<CacheEvent.Write>> resolve(List<CacheWrite> writes) {
		List<CompletableFuture<CacheEvent.Write>> ends = new ArrayList<>(writes.size());
		writes.forEach((write) -> ends.add(resolve(write)));
		return all(ends);
	}

	static CompletableFuture<List<CacheEvent.Write>> all(List<CompletableFuture<CacheEvent.Write>> ends) {
		if (ends.size() == 1) {
			return ends.get(0).thenApply(List::of);
		}
		return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
			.thenApply((done) -> ends.stream().map(CompletableFuture::join).toList());
	}

	CompletableFuture<CacheEvent.Write> resolve(CacheWrite write) {
		return step(write, write.value()).thenApply((outcome) -> ended(write, outcome));
	}

	private CompletableFuture<Outcome> step(CacheWrite write, @Nullable NewValue value) {
		CacheEngine cache = this.engine.get();
		if (value != null && write.isAnnounced()) {
			return cache.publish(write, value);
		}
		return cache.invalidate(write);
	}

	/**
	 * Withdraws the announcement, if any, of a writer of whose changes nothing was
	 * committed.
	 */
	CompletableFuture<CacheEvent.Write> rollBack(CacheWrite write) {
		withdraw(write);
		return CompletableFuture.completedFuture(ended(write, Outcome.ROLLED_BACK));
	}

	/**
	 * Withdraws the announcement of a writer that does not begin, without an event.
	 */
	void withdraw(CacheWrite write) {
		if (!write.isSilent()) {
			this.engine.get().abort(write);
		}
	}

	private static CacheEvent.Write ended(CacheWrite write, Outcome outcome) {
		return new CacheEvent.Write(write.key.cache(), outcome);
	}

	void publishEvents(List<CacheEvent.Write> ends) {
		ends.forEach(this::publishEvent);
	}

	void publishEvent(CacheEvent.Write end) {
		this.events.publish(end);
	}

	/**
	 * Publishes the completion events of writers for which no thread waits.
	 */
	CompletionStage<@Nullable Void> publishEventsAsync(CompletableFuture<List<CacheEvent.Write>> ends,
			GuardedCalls calls) {
		return calls.handOver(ends, (done) -> {
			publishEvents(done);
			return null;
		}, (done) -> {
		});
	}

}
