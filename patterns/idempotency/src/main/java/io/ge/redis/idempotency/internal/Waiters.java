// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Calls of this instance that wait for calls of other instances. They are woken by a
 * message, which may be lost, so each looks again from time to time.
 */
final class Waiters {

	static final Duration BACKSTOP = Duration.ofSeconds(1);

	private final Duration backstop;

	private final Map<String, Set<CompletableFuture<Void>>> waiting = new ConcurrentHashMap<>();

	Waiters(Duration backstop) {
		this.backstop = backstop;
	}

	/**
	 * Begins to listen, before Redis is asked, so that no message is missed. To be
	 * completed when no caller waits any more.
	 */
	CompletableFuture<Void> listen(String key) {
		CompletableFuture<Void> signal = new CompletableFuture<>();
		this.waiting.compute(key, (same, present) -> {
			Set<CompletableFuture<Void>> all = (present != null) ? present : ConcurrentHashMap.newKeySet();
			all.add(signal);
			return all;
		});
		signal.whenComplete((nothing, none) -> this.waiting.computeIfPresent(key, (same, all) -> {
			all.remove(signal);
			return all.isEmpty() ? null : all;
		}));
		return signal;
	}

	/**
	 * Waits for a signal. Never fails.
	 */
	CompletableFuture<Void> await(CompletableFuture<Void> signal, Duration longest) {
		Duration limit = (longest.compareTo(this.backstop) < 0) ? longest : this.backstop;
		return signal.completeOnTimeout(null, limit.toNanos() + 1, TimeUnit.NANOSECONDS);
	}

	void wake(String key) {
		// Callers that continue to listen are not woken again
		List.copyOf(this.waiting.getOrDefault(key, Set.of())).forEach((signal) -> signal.complete(null));
	}

	void wakeAll() {
		List.copyOf(this.waiting.keySet()).forEach(this::wake);
	}

	boolean isEmpty() {
		return this.waiting.isEmpty();
	}

}
