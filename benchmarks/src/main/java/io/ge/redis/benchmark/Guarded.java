// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.util.function.Supplier;

import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheWriteThrough;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.FencingToken;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimited;
import org.jspecify.annotations.Nullable;

/**
 * What an application of the starter would write. The methods do nothing, so that only
 * the guard is measured.
 */
class Guarded {

	static final int SPENT = 1000;

	@RateLimited(name = "hot", key = "#key", limit = 10_000, window = "10ms")
	String admitOften(String key) {
		return key;
	}

	@RateLimited(name = "hot-counter", key = "#key", limit = 10_000, window = "10ms",
			algorithm = RateLimitAlgorithm.SLIDING_WINDOW_COUNTER)
	String admitOftenByCounter(String key) {
		return key;
	}

	@RateLimited(name = "hot-bucket", key = "#key", limit = 10_000, window = "10ms",
			algorithm = RateLimitAlgorithm.TOKEN_BUCKET)
	String admitOftenByBucket(String key) {
		return key;
	}

	@RateLimited(name = "hot-fixed", key = "#key", limit = 10_000, window = "10ms",
			algorithm = RateLimitAlgorithm.FIXED_WINDOW)
	String admitOftenByFixed(String key) {
		return key;
	}

	@RateLimited(name = "many", key = "#key", limit = 1000, window = "1m")
	String admit(String key) {
		return key;
	}

	@RateLimited(name = "many-counter", key = "#key", limit = 1000, window = "1m",
			algorithm = RateLimitAlgorithm.SLIDING_WINDOW_COUNTER)
	String admitByCounter(String key) {
		return key;
	}

	@RateLimited(name = "many-bucket", key = "#key", limit = 1000, window = "1m",
			algorithm = RateLimitAlgorithm.TOKEN_BUCKET)
	String admitByBucket(String key) {
		return key;
	}

	@RateLimited(name = "many-fixed", key = "#key", limit = 1000, window = "1m",
			algorithm = RateLimitAlgorithm.FIXED_WINDOW)
	String admitByFixed(String key) {
		return key;
	}

	@RateLimited(name = "second", key = "#key", limit = 1000, window = "1s")
	@RateLimited(name = "minute", key = "#key", limit = 10_000, window = "1m",
			algorithm = RateLimitAlgorithm.SLIDING_WINDOW_COUNTER)
	@RateLimited(name = "hour", key = "#key", limit = 100_000, window = "1h",
			algorithm = RateLimitAlgorithm.TOKEN_BUCKET)
	String admitThrice(String key) {
		return key;
	}

	@RateLimited(name = "once", key = "#key", limit = 1, window = "1h")
	String admitOnce(String key) {
		return key;
	}

	@RateLimited(name = "once-fallback", key = "#key", limit = 1, window = "1h", fallback = "refused")
	@Nullable String admitOnceElse(String key) {
		return key;
	}

	@Nullable String refused(String key) {
		return null;
	}

	@RateLimited(name = "spent", key = "#key", cost = "#cost", limit = SPENT, window = "1h")
	String spend(String key, long cost) {
		return key;
	}

	@DistributedLock(name = "agent", key = "#key", waitTime = "30s")
	long locked(String key, @FencingToken long token) {
		return token;
	}

	@DistributedLock(name = "section", key = "#key", waitTime = "30s")
	void locked(String key, Section section) throws Exception {
		section.run();
	}

	@CacheAside(cache = "balances", key = "#key", ttl = "10m")
	Balance read(String key) {
		return Balance.of(key);
	}

	@CacheAside(cache = "balances", key = "#key", ttl = "10m")
	Balance read(String key, Supplier<Balance> loader) {
		return loader.get();
	}

	@CacheAside(cache = "near", key = "#key", ttl = "10m")
	Balance readNear(String key) {
		return Balance.of(key);
	}

	@CacheWriteThrough(cache = "balances", key = "#key", ttl = "10m")
	Balance write(String key) {
		return Balance.of(key);
	}

	@Idempotent(name = "sell", key = "#key", ttl = "10m")
	Balance once(String key) {
		return Balance.of(key);
	}

	@BlacklistCheck(token = "#key")
	String authenticated(String key) {
		return key;
	}

	String unguarded(String key) {
		return key;
	}

	/**
	 * Something to do under a lock.
	 */
	@FunctionalInterface
	interface Section {

		void run() throws Exception;

	}

}
