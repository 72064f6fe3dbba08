// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.util.concurrent.CompletableFuture;

import io.ge.redis.cache.CacheAside;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.FencingToken;
import io.ge.redis.ratelimit.RateLimited;
import reactor.core.publisher.Mono;

/**
 * The methods of {@link Guarded} whose results come later.
 */
class GuardedLater {

	@RateLimited(name = "many", key = "#key", limit = 1000, window = "1m")
	CompletableFuture<String> admitFuture(String key) {
		return CompletableFuture.completedFuture(key);
	}

	@RateLimited(name = "many", key = "#key", limit = 1000, window = "1m")
	Mono<String> admitMono(String key) {
		return Mono.just(key);
	}

	@DistributedLock(name = "agent", key = "#key", waitTime = "30s")
	CompletableFuture<Long> lockedFuture(String key, @FencingToken long token) {
		return CompletableFuture.completedFuture(token);
	}

	@DistributedLock(name = "agent", key = "#key", waitTime = "30s")
	Mono<Long> lockedMono(String key, @FencingToken long token) {
		return Mono.just(token);
	}

	@CacheAside(cache = "balances", key = "#key", ttl = "10m")
	CompletableFuture<Balance> readFuture(String key) {
		return CompletableFuture.completedFuture(Balance.of(key));
	}

	@CacheAside(cache = "balances", key = "#key", ttl = "10m")
	Mono<Balance> readMono(String key) {
		return Mono.just(Balance.of(key));
	}

	@Idempotent(name = "sell", key = "#key", ttl = "10m")
	CompletableFuture<Balance> onceFuture(String key) {
		return CompletableFuture.completedFuture(Balance.of(key));
	}

	@Idempotent(name = "sell", key = "#key", ttl = "10m")
	Mono<Balance> onceMono(String key) {
		return Mono.just(Balance.of(key));
	}

}
