/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.benchmark;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;

import io.ge.redis.benchmark.report.Chart;
import io.ge.redis.benchmark.report.Table;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.test.RedisNode;
import io.github.bucket4j.BucketConfiguration;
import org.redisson.api.RateType;

/**
 * What one entity takes in Redis: the sum of {@code MEMORY USAGE} over all keys that a
 * contender leaves.
 */
final class Memory {

	private static final String KEY = Keys.text(0);

	private static final int CALLS = 100;

	private final RedisNode node;

	private final Instance instance;

	private final List<List<String>> rows = new ArrayList<>();

	private final List<Map<String, Object>> data = new ArrayList<>();

	private final List<Chart.Group> groups = new ArrayList<>();

	private final List<Chart.Bar> bars = new ArrayList<>();

	private long own;

	Memory(RedisNode node, Instance instance) {
		this.node = node;
		this.instance = instance;
	}

	Table measure(List<String> patterns) throws Exception {
		if (patterns.contains("ratelimit")) {
			rateLimits();
		}
		if (patterns.contains("lock")) {
			locks();
		}
		if (patterns.contains("cache")) {
			caches();
		}
		if (patterns.contains("idempotency")) {
			idempotency();
		}
		if (patterns.contains("blacklist")) {
			blacklist();
		}
		return new Table("memory", "Memory per entity",
				"The sum of MEMORY USAGE over all keys that one entity has, with a key of 8 characters.",
				List.of("state", "", "bytes", "x GE Redis", "keys"), this.rows,
				new Chart("Memory per entity", "bytes, as MEMORY USAGE tells", 0, this.groups), this.data);
	}

	private void rateLimits() throws Exception {
		begin();
		Guarded guarded = this.instance.guarded();
		String full = "rate limit of 100 a minute, used up";
		state(full, "@RateLimited SLIDING_WINDOW", true, () -> repeat(() -> guarded.admitHundred(KEY)));
		state(full, "@RateLimited TOKEN_BUCKET", true, () -> repeat(() -> guarded.admitHundredByBucket(KEY)));
		BucketConfiguration configuration = Scenarios.bucket4j(CALLS, java.time.Duration.ofMinutes(1));
		state(full, "Bucket4j", false, () -> repeat(
				() -> this.instance.buckets().getProxy(KEY.getBytes(), () -> configuration).tryConsume(1)));
		state(full, "Redisson RRateLimiter", false, () -> {
			this.instance.redisson()
				.getRateLimiter(KEY)
				.trySetRate(RateType.OVERALL, CALLS, java.time.Duration.ofMinutes(1));
			repeat(() -> this.instance.redisson().getRateLimiter(KEY).tryAcquire());
		});
		end(full);
	}

	private void locks() throws Exception {
		begin();
		String held = "lock, held";
		this.node.command("FLUSHALL", "SYNC");
		this.instance.guarded().locked(KEY, () -> add(held, "@DistributedLock", true));
		locked(held, "Redisson RLock", this.instance.redisson().getLock(KEY));
		locked(held, "Redisson RFencedLock", this.instance.redisson().getFencedLock(KEY));
		locked(held, "RedisLockRegistry", this.instance.pushLocks().obtain(KEY));
		end(held);
		begin();
		String free = "lock, released, what remembers the token";
		state(free, "@DistributedLock", true, () -> this.instance.guarded().locked(KEY, 0));
		state(free, "Redisson RFencedLock (for ever)", false, () -> {
			this.instance.redisson().getFencedLock(KEY).lock();
			this.instance.redisson().getFencedLock(KEY).unlock();
		});
		end(free);
	}

	private void locked(String state, String name, Lock lock) {
		this.node.command("FLUSHALL", "SYNC");
		lock.lock();
		try {
			add(state, name, false);
		}
		finally {
			lock.unlock();
		}
	}

	private void caches() throws Exception {
		begin();
		String loaded = "cache, one entry as a reader has loaded it";
		state(loaded, "@CacheAside", true, () -> this.instance.guarded().read(KEY));
		state(loaded, "@Cacheable, Spring Data Redis", false, () -> this.instance.get(CachedByPeer.class).read(KEY));
		end(loaded);
		begin();
		String written = "cache, one entry as a writer has written it";
		state(written, "@CacheWriteThrough", true, () -> this.instance.guarded().write(KEY));
		state(written, "@CachePut, Spring Data Redis", false, () -> this.instance.get(CachedByPeer.class).write(KEY));
		end(written);
	}

	private void idempotency() throws Exception {
		begin();
		String completed = "idempotency, completed";
		state(completed, "@Idempotent", true, () -> this.instance.guarded().once(KEY));
		end(completed);
	}

	private void blacklist() throws Exception {
		begin();
		String revoked = "blacklist, one revoked token";
		TokenBlacklist tokens = this.instance.get(TokenBlacklist.class);
		state(revoked, "TokenBlacklist", true,
				() -> tokens.revoke(TokenIdentity.of("issuer", KEY, java.time.Instant.now().plusSeconds(900))));
		end(revoked);
	}

	private void begin() {
		this.bars.clear();
		this.own = 0;
	}

	private void end(String state) {
		this.groups.add(new Chart.Group(state, List.copyOf(this.bars)));
	}

	private void state(String state, String name, boolean ours, Monitor.Work work) throws Exception {
		this.node.command("FLUSHALL", "SYNC");
		work.run();
		add(state, name, ours);
	}

	private void add(String state, String name, boolean ours) {
		List<?> keys = (List<?>) this.node.command("KEYS", "*");
		long bytes = 0;
		for (Object key : (keys != null) ? keys : List.of()) {
			Object usage = this.node.command("MEMORY", "USAGE", String.valueOf(key), "SAMPLES", "0");
			bytes += (usage instanceof Long number) ? number : 0;
		}
		int count = (keys != null) ? keys.size() : 0;
		if (this.own == 0) {
			this.own = bytes;
		}
		this.rows.add(List.of(state, name, Comparison.format("%,d", bytes),
				Comparison.format("%.2f", bytes / (double) this.own), String.valueOf(count)));
		Map<String, Object> entry = new LinkedHashMap<>();
		entry.put("state", state);
		entry.put("contender", name);
		entry.put("bytes", bytes);
		entry.put("keys", count);
		this.data.add(entry);
		this.bars.add(new Chart.Bar(name, bytes, bytes, bytes, ours));
	}

	private static void repeat(Monitor.Work call) throws Exception {
		for (int i = 0; i < CALLS; i++) {
			call.run();
		}
	}

}
