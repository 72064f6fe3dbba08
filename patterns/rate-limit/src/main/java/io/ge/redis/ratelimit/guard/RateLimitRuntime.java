/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.guard;

import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.ratelimit.RateLimitResolver;
import io.ge.redis.ratelimit.engine.DenyCache;
import io.ge.redis.ratelimit.engine.Leases;
import io.ge.redis.ratelimit.engine.LocalRateLimiter;
import io.ge.redis.ratelimit.engine.RateLimitEngine;
import io.ge.redis.ratelimit.engine.RedisRateLimiter;
import io.ge.redis.ratelimit.live.LimitChangeFeed;
import io.ge.redis.ratelimit.live.LiveLimits;
import io.ge.redis.ratelimit.live.RedisLimitChanges;
import org.jspecify.annotations.Nullable;

/**
 * The parts that share one connection: the engine, and all that tells it what applies
 * now.
 */
record RateLimitRuntime(RateLimitEngine engine, Leases leases, LiveLimits live, RedisLimitChanges changes,
		LimitChangeFeed feed, KeyStatistics statistics) {

	private static final String PATTERN = "ratelimit";

	static RateLimitRuntime on(RedisBackend backend, Supplier<@Nullable RateLimitResolver> resolver) {
		InstanceBus bus = backend.bus();
		GuardedRedis connection = backend.redis(PATTERN);
		KeySpace keys = backend.keys(PATTERN);
		LiveLimits live = new LiveLimits(resolver, System::nanoTime);
		DenyCache denied = new DenyCache(bus::confirmedAt);
		RedisRateLimiter redis = new RedisRateLimiter(connection, keys, bus.newsChannel());
		Leases leases = new Leases(redis, bus::liveInstances, denied);
		LocalRateLimiter local = new LocalRateLimiter(bus::liveInstances, System::nanoTime,
				(request) -> redis.keyOf(request).text());
		RateLimitEngine engine = new RateLimitEngine(redis, local, live, denied, leases);
		engine.listen(bus);
		RedisLimitChanges changes = new RedisLimitChanges(connection, keys, bus.newsChannel());
		KeyStatistics statistics = new KeyStatistics();
		LimitChangeFeed feed = new LimitChangeFeed(changes, bus, live::share, statistics::age);
		return new RateLimitRuntime(engine, leases, live, changes, feed, statistics);
	}

}
