/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency.engine;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Those of this instance that wait for calls of other instances. They are woken by a
 * message, which may be lost, so each looks again from time to time.
 */
final class Waiters {

	static final Duration BACKSTOP = Duration.ofSeconds(1);

	private final Duration backstop;

	private final Map<String, Set<Waiter>> waiting = new ConcurrentHashMap<>();

	/**
	 * Creates waiters.
	 * @param backstop after which they look again without being woken
	 */
	Waiters(Duration backstop) {
		this.backstop = backstop;
	}

	/**
	 * Begins to listen, before Redis is asked, so that no message is missed.
	 * @param key the record
	 */
	Waiter register(String key) {
		Waiter waiter = new Waiter(key);
		this.waiting.compute(key, (same, present) -> {
			Set<Waiter> all = (present != null) ? present : ConcurrentHashMap.newKeySet();
			all.add(waiter);
			return all;
		});
		return waiter;
	}

	/**
	 * Wakes those who wait for a record.
	 */
	void wake(String key) {
		this.waiting.getOrDefault(key, Set.of()).forEach(Waiter::wake);
	}

	/**
	 * Wakes all, since messages may have been lost.
	 */
	void wakeAll() {
		this.waiting.values().forEach((all) -> all.forEach(Waiter::wake));
	}

	boolean isEmpty() {
		return this.waiting.isEmpty();
	}

	/**
	 * One that waits.
	 */
	final class Waiter implements AutoCloseable {

		private final String key;

		private volatile CompletableFuture<Void> signal = new CompletableFuture<>();

		private Waiter(String key) {
			this.key = key;
		}

		/**
		 * To be called before Redis is asked: what happens from now on wakes.
		 */
		void arm() {
			this.signal = new CompletableFuture<>();
		}

		private void wake() {
			this.signal.complete(null);
		}

		/**
		 * Waits until something may have happened since it was armed.
		 * @param longest how long at most
		 * @return completes without result and never fails
		 */
		CompletableFuture<Void> await(Duration longest) {
			Duration limit = (longest.compareTo(Waiters.this.backstop) < 0) ? longest : Waiters.this.backstop;
			return this.signal.completeOnTimeout(null, limit.toNanos() + 1, TimeUnit.NANOSECONDS);
		}

		@Override
		void close() {
			Waiters.this.waiting.computeIfPresent(this.key, (same, all) -> {
				all.remove(this);
				return all.isEmpty() ? null : all;
			});
		}

	}

}
