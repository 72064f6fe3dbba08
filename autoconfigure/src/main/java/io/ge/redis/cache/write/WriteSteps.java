/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.write;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheEvent.Outcome;
import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.engine.NewValue;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * The steps of writers in Redis before and after a commit, several at once: whoever is in
 * a transaction of its thread waits for it there, nobody else does.
 */
public final class WriteSteps {

	private final Supplier<CacheEngine> engine;

	private final GuardEvents events;

	public WriteSteps(Supplier<CacheEngine> engine, GuardEvents events) {
		this.engine = engine;
		this.events = events;
	}

	/**
	 * Announces writers, of those that do so.
	 * @param locked whether their rows are locked
	 * @throws RuntimeException if one could not be announced that must be. It must not be
	 * a {@link org.springframework.transaction.TransactionException}, for which Spring
	 * does not roll back
	 */
	void announce(List<CacheWrite> writes, boolean locked) {
		Waiting.await(announceAsync(writes, locked));
	}

	/**
	 * As {@link #announce}, without blocking.
	 * @return completes when all are announced, exceptionally if one could not be that
	 * must be
	 */
	CompletableFuture<Void> announceAsync(List<CacheWrite> writes, boolean locked) {
		CacheEngine cache = this.engine.get();
		List<CacheWrite> sorted = new ArrayList<>(writes);
		sorted.sort(Comparator.comparing(CacheWrite::id));
		List<CompletableFuture<Boolean>> steps = new ArrayList<>(writes.size());
		for (CacheWrite write : sorted) {
			boolean prolongs = locked && write.isAnnounced() && !write.isOrdered();
			boolean fresh = prolongs && System.nanoTime() - write.announcedAt < cache.intentTimeout().toNanos() / 2;
			if (write.isAnnouncing() && !write.isUnannounced() && !fresh) {
				write.announced(locked && !prolongs);
				write.announcedAt = System.nanoTime();
				steps.add(cache.announce(write, prolongs));
			}
		}
		return CompletableFuture.allOf(steps.toArray(CompletableFuture[]::new)).thenRun(() -> {
			for (CacheWrite write : sorted) {
				RuntimeException refusal = write.refusal();
				if (refusal != null) {
					throw refusal;
				}
			}
		});
	}

	/**
	 * Brings writers to their end after a commit. Never fails.
	 */
	void resolve(List<CacheWrite> writes) {
		List<CompletableFuture<Outcome>> steps = steps(writes);
		for (int i = 0; i < steps.size(); i++) {
			tell(writes.get(i), Waiting.await(steps.get(i)));
		}
	}

	/**
	 * As {@link #resolve}, without blocking. What has become of them is told on a thread
	 * of the application.
	 * @return completes there
	 */
	CompletionStage<@Nullable Void> resolveAsync(List<CacheWrite> writes, GuardedCalls calls) {
		List<CompletableFuture<Outcome>> steps = steps(writes);
		return calls.handOver(CompletableFuture.allOf(steps.toArray(CompletableFuture[]::new)), (done) -> {
			for (int i = 0; i < steps.size(); i++) {
				tell(writes.get(i), steps.get(i).join());
			}
			return null;
		}, (done) -> {
		});
	}

	private List<CompletableFuture<Outcome>> steps(List<CacheWrite> writes) {
		List<CompletableFuture<Outcome>> steps = new ArrayList<>(writes.size());
		for (CacheWrite write : writes) {
			steps.add(step(write, write.value()));
		}
		return steps;
	}

	private CompletableFuture<Outcome> step(CacheWrite write, @Nullable NewValue value) {
		CacheEngine cache = this.engine.get();
		if (value != null && write.isAnnounced()) {
			return cache.publish(write, value);
		}
		if (value != null && write.isStoring()) {
			return cache.store(write, value);
		}
		return cache.invalidate(write);
	}

	/**
	 * Takes back what a writer has announced of whose changes nothing was committed.
	 */
	void takeBack(CacheWrite write) {
		withdraw(write);
		tell(write, Outcome.ROLLED_BACK);
	}

	/**
	 * Takes back what a writer has announced that does not begin, and tells nobody.
	 */
	void withdraw(CacheWrite write) {
		if (!write.isSilent()) {
			this.engine.get().abort(write);
		}
	}

	/**
	 * Ends a writer that has left no trace, of whose changes nothing was committed.
	 */
	void forget(CacheWrite write) {
		tell(write, Outcome.ROLLED_BACK);
	}

	private void tell(CacheWrite write, Outcome outcome) {
		this.events.publish(new CacheEvent.Write(write.key().cache(), outcome));
	}

}
