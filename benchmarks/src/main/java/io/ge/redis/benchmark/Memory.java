// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;

import io.ge.redis.benchmark.report.Chart;
import io.ge.redis.benchmark.report.Table;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.test.RedisNode;
import io.github.bucket4j.BucketConfiguration;
import org.redisson.api.RateType;
import org.redisson.api.RRateLimiter;

/**
 * What one entity takes in Redis: the sum of {@code MEMORY USAGE} over all keys that a
 * contender leaves.
 */
final class Memory {

	private static final String KEY = Keys.text(0);

	private static final int[] RATE_LIMITS = { 60, 100, 1000 };

	private static final String SHORT_NAME = "a";

	/** With that name {@code ge:ratelimit:{anna}:a:w1}. */
	private static final String SHORT_KEY = "anna";

	private static final String LONG_KEY = "principal-012345678-abcd";

	private static final int SUB_WINDOWS = 10;

	private static final Duration SPREAD_WINDOW = Duration.ofSeconds(2);

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
				"The sum of MEMORY USAGE over all keys that one entity has, with a key of 8 characters where "
						+ "nothing else is said.",
				List.of("state", "", "bytes", "x GE Redis", "keys"), this.rows,
				new Chart("Memory per entity", "bytes, as MEMORY USAGE tells", 0, this.groups), this.data);
	}

	private void rateLimits() throws Exception {
		for (int permits : RATE_LIMITS) {
			rateLimits(Comparison.format("rate limit of %,d a minute, used up, key of 24 characters in Redis", permits),
					SHORT_NAME, SHORT_KEY, LONG_KEY, permits);
		}
		rateLimits("rate limit of 100 a minute, used up, principal of 24 characters", "tasks", LONG_KEY, LONG_KEY, 100);
		String spread = "rate limit of 1,000,000, used all over its window, key of 24 characters in Redis";
		begin();
		RateLimit counter = RateLimit.of(SHORT_NAME, 1_000_000, SPREAD_WINDOW)
			.withAlgorithm(RateLimitAlgorithm.SLIDING_WINDOW_COUNTER);
		state(spread, "SLIDING_WINDOW_COUNTER", true, () -> {
			// Each of its sub-windows has a count
			for (int i = 0; i < SUB_WINDOWS; i++) {
				this.instance.get(RateLimiter.class).tryAcquire(List.of(counter), SHORT_KEY);
				Thread.sleep(SPREAD_WINDOW.toMillis() / 10);
			}
			this.instance.get(RateLimiter.class).tryAcquire(List.of(counter), SHORT_KEY);
		});
		end(spread);
	}

	private void rateLimits(String full, String name, String key, String peerKey, int permits) throws Exception {
		begin();
		for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
			List<RateLimit> limits = List
				.of(RateLimit.of(name, permits, Duration.ofMinutes(1)).withAlgorithm(algorithm));
			state(full, algorithm.toString(), true,
					() -> repeat(permits, () -> this.instance.get(RateLimiter.class).tryAcquire(limits, key)));
		}
		BucketConfiguration configuration = RateLimitScenarios.bucket4j(permits, Duration.ofMinutes(1));
		byte[] bucket = peerKey.getBytes(StandardCharsets.UTF_8);
		state(full, "Bucket4j", false, () -> repeat(permits,
				() -> this.instance.buckets().getProxy(bucket, () -> configuration).tryConsume(1)));
		state(full, "Redisson RRateLimiter", false, () -> {
			RRateLimiter limiter = this.instance.redisson().getRateLimiter(peerKey);
			limiter.trySetRate(RateType.OVERALL, permits, Duration.ofMinutes(1));
			repeat(permits, limiter::tryAcquire);
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

	private static void repeat(int times, Monitor.Work call) throws Exception {
		for (int i = 0; i < times; i++) {
			call.run();
		}
	}

}
