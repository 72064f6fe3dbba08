/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.bus.Reports;
import io.ge.redis.core.outage.Waiting;

/**
 * The locks that all instances report. A lock that is waited for and whose holder nobody
 * reports, since it has died or is silent, is looked at in Redis.
 */
final class LockListing {

	/** Bounds what one listing costs Redis. */
	private static final int MOST_LOOKS = 100;

	private final RedisLocks redis;

	private final RedisShares shares;

	private final Map<RedisLockKey, Entry> entries = new LinkedHashMap<>();

	LockListing(RedisLocks redis, RedisShares shares) {
		this.redis = redis;
		this.shares = shares;
	}

	LockControl.Listing list() {
		Reports.Collected<LockReport> collected = this.redis.reports().collect(Reports.Filter.ALL);
		List<LockControl.Instance> instances = new ArrayList<>();
		collected.reports().forEach((instance, report) -> {
			instances.add(new LockControl.Instance(instance, report.process(), report.held(), report.holders().size(),
					report.awaited(), report.waiters().size()));
			report.holders()
				.forEach((holder) -> entry(holder.key(), holder.name()).holders
					.add(new LockControl.Holder(instance, holder.token(), holder.age(), holder.remaining())));
			report.waiters().forEach((queue) -> entry(queue.key(), queue.name()).waiters += queue.count());
		});
		lookForHolders();
		return new LockControl.Listing(collected.instance(), instances, collected.silent(), locks());
	}

	private Entry entry(String key, String name) {
		return this.entries.computeIfAbsent(this.redis.key(key), (lock) -> new Entry(name));
	}

	private void lookForHolders() {
		List<CompletableFuture<?>> looks = new ArrayList<>();
		this.entries.forEach((key, entry) -> {
			if (entry.holders.isEmpty() && looks.size() < MOST_LOOKS) {
				// While Redis is away nobody knows
				looks.add(look(key, entry).exceptionally((failure) -> null));
			}
		});
		Waiting.await(CompletableFuture.allOf(looks.toArray(CompletableFuture[]::new)));
	}

	private CompletableFuture<Void> look(RedisLockKey key, Entry entry) {
		return this.redis.look(key).thenCompose((standing) -> {
			if (standing.isShared()) {
				return this.shares.look(key).thenAccept(entry::found);
			}
			entry.found(standing);
			return CompletableFuture.completedFuture(null);
		});
	}

	private List<LockControl.Listed> locks() {
		List<LockControl.Listed> locks = new ArrayList<>();
		this.entries.forEach((key, entry) -> locks
			.add(new LockControl.Listed(entry.name, key.hash(), List.copyOf(entry.holders), entry.waiters)));
		locks.sort(Comparator.comparing(LockListing::age).reversed());
		return locks;
	}

	private static Duration age(LockControl.Listed lock) {
		return lock.holders()
			.stream()
			.map(LockControl.Holder::age)
			.max(Comparator.naturalOrder())
			.orElse(Duration.ZERO);
	}

	/**
	 * A lock that is reported.
	 */
	private static final class Entry {

		private final String name;

		private final List<LockControl.Holder> holders = new ArrayList<>();

		private int waiters;

		Entry(String name) {
			this.name = name;
		}

		void found(LockStanding standing) {
			if (standing.held() && !standing.kept()) {
				this.holders.add(new LockControl.Holder(standing.instance(), standing.token(), standing.age(),
						standing.remaining()));
			}
		}

		void found(LockControl.Shared shared) {
			for (LockControl.Share share : shared.shares()) {
				if (share.held()) {
					this.holders
						.add(new LockControl.Holder(share.holder(), share.token(), share.age(), share.remaining()));
				}
			}
		}

	}

}
