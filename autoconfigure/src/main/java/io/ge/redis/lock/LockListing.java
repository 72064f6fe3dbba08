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

import io.ge.redis.core.bus.Answers;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * Puts together what the instances say of their locks. A lock that is waited for and of
 * whose holder nobody has told, since it has died or is silent, is looked at in Redis.
 */
final class LockListing {

	/** Bounds what one listing costs Redis. */
	private static final int MOST_LOOKS = 100;

	private final RedisLocks redis;

	private final RedisShares shares;

	private final Map<RedisLockKey, Entry> entries = new LinkedHashMap<>();

	private final List<LockControl.Instance> instances = new ArrayList<>();

	private LockListing(RedisLocks redis, RedisShares shares) {
		this.redis = redis;
		this.shares = shares;
	}

	static LockControl.Listing of(RedisLocks redis, RedisShares shares) {
		Answers answers = Waiting.await(redis.ask(LockInventory.askForAll()));
		LockListing listing = new LockListing(redis, shares);
		answers.texts().forEach(listing::add);
		listing.lookForHolders();
		return new LockControl.Listing(redis.instanceId(), listing.instances, answers.silent(), listing.locks());
	}

	/**
	 * Finds a lock that an instance knows.
	 */
	static @Nullable RedisLockKey find(RedisLocks redis, RedisShares shares, String name, String hash) {
		LockListing listing = new LockListing(redis, shares);
		Waiting.await(redis.ask(LockInventory.askFor(name, hash))).texts().forEach(listing::add);
		return listing.entries.isEmpty() ? null : listing.entries.keySet().iterator().next();
	}

	private void add(String instance, String answer) {
		LockInventory told = LockInventory.parse(answer, this.redis::key);
		if (told == null) {
			return;
		}
		this.instances.add(new LockControl.Instance(instance, told.process(), told.held(), told.holders().size(),
				told.awaited(), told.waiters().size()));
		for (LockInventory.Holder holder : told.holders()) {
			entry(holder.lock()).holders
				.add(new LockControl.Holder(instance, holder.token(), holder.age(), holder.remaining()));
		}
		for (LockInventory.Waiters queue : told.waiters()) {
			entry(queue.lock()).waiters += queue.count();
		}
	}

	private Entry entry(LockInventory.Named lock) {
		return this.entries.computeIfAbsent(lock.key(), (key) -> new Entry(lock.name()));
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
	 * A lock of which somebody has told.
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

		void found(ShareStanding standing) {
			for (ShareStanding.Share share : standing.shares()) {
				if (!share.kept()) {
					this.holders
						.add(new LockControl.Holder(share.instance(), share.token(), share.age(), share.remaining()));
				}
			}
		}

	}

}
