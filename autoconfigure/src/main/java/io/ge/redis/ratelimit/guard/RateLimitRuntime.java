/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.guard;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.ratelimit.RateLimitResolver;
import io.ge.redis.ratelimit.engine.DenyCache;
import io.ge.redis.ratelimit.engine.Leases;
import io.ge.redis.ratelimit.engine.LocalRateLimiter;
import io.ge.redis.ratelimit.engine.RateLimitEngine;
import io.ge.redis.ratelimit.engine.RateLimitNews;
import io.ge.redis.ratelimit.engine.RedisGiveBack;
import io.ge.redis.ratelimit.engine.RedisRateLimiter;
import io.ge.redis.ratelimit.live.LimitChangeFeed;
import io.ge.redis.ratelimit.live.LiveLimits;
import io.ge.redis.ratelimit.live.RedisLimitChanges;
import org.jspecify.annotations.Nullable;

/**
 * The parts that share one connection: the engine, and all that tells it what applies
 * now.
 *
 * @param engine decides
 * @param leases permits taken in advance
 * @param redis asks
 * @param giveBack gives back permits without the decision that has taken them
 * @param live what applies now
 * @param changes where live changes are kept
 * @param feed brings them here
 * @param statistics what is remembered of keys
 */
record RateLimitRuntime(RateLimitEngine engine, Leases leases, RedisRateLimiter redis, RedisGiveBack giveBack,
		LiveLimits live, RedisLimitChanges changes, LimitChangeFeed feed, KeyStatistics statistics) {

	private static final String PATTERN = "ratelimit";

	/** The bus says every two seconds that it is there. */
	private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(2500);

	static RateLimitRuntime on(RedisBackend backend, Supplier<@Nullable RateLimitResolver> resolver) {
		InstanceBus bus = backend.bus();
		LiveLimits live = new LiveLimits(resolver, System::nanoTime);
		DenyCache denied = new DenyCache(bus::confirmedAt);
		live.onChange(denied::clear);
		RedisRateLimiter redis = new RedisRateLimiter(backend.redis(PATTERN), backend.keys(PATTERN), bus.newsChannel());
		Leases leases = new Leases(redis, bus::liveInstances, denied);
		LocalRateLimiter local = new LocalRateLimiter(bus::liveInstances, System::nanoTime,
				(request) -> redis.keyOf(request).text());
		RateLimitNews.hear(bus, denied, leases, local);
		RateLimitEngine engine = new RateLimitEngine(redis, local, live, denied, leases);
		RedisLimitChanges changes = new RedisLimitChanges(backend.redis(PATTERN), backend.keys(PATTERN),
				bus.newsChannel());
		KeyStatistics statistics = new KeyStatistics();
		LimitChangeFeed feed = new LimitChangeFeed(changes, bus, SILENCE_NANOS, live::share, statistics::age);
		return new RateLimitRuntime(engine, leases, redis,
				new RedisGiveBack(backend.redis(PATTERN), backend.keys(PATTERN), bus.newsChannel(), denied), live,
				changes, feed, statistics);
	}

}
