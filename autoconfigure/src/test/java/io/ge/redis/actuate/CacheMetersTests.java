/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.actuate;

import java.util.concurrent.TimeUnit;

import io.ge.redis.cache.CacheEvent;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CacheMeters}.
 */
class CacheMetersTests {

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	@Test
	void countsReadsLoadsWritesAndUnreadableValues() {
		CacheMeters meters = new CacheMeters(this.registry);
		meters.onEvent(new CacheEvent.Read("c", CacheEvent.Access.HIT, CacheEvent.Tier.REDIS));
		meters.onEvent(new CacheEvent.Read("c", CacheEvent.Access.HIT, CacheEvent.Tier.REDIS));
		meters.onEvent(new CacheEvent.Read("c", CacheEvent.Access.HIT, CacheEvent.Tier.NEAR));
		meters.onEvent(new CacheEvent.Read("c", CacheEvent.Access.MISS, CacheEvent.Tier.REDIS));
		meters.onEvent(new CacheEvent.Read("c", CacheEvent.Access.STALE, CacheEvent.Tier.REDIS));
		meters.onEvent(new CacheEvent.Load("c", true, 2_000_000));
		meters.onEvent(new CacheEvent.Load("c", false, 1));
		meters.onEvent(new CacheEvent.Write("c", CacheEvent.Outcome.PUBLISHED));
		meters.onEvent(new CacheEvent.Unreadable("c"));
		assertThat(this.registry.get("ge.redis.cache.gets")
			.tags("cache", "c", "result", "hit", "tier", "redis")
			.counter()
			.count()).isEqualTo(2);
		assertThat(this.registry.get("ge.redis.cache.gets").tags("result", "hit", "tier", "near").counter().count())
			.isEqualTo(1);
		assertThat(this.registry.get("ge.redis.cache.gets").tags("result", "miss").counter().count()).isEqualTo(1);
		assertThat(this.registry.get("ge.redis.cache.gets").tags("result", "stale").counter().count()).isEqualTo(1);
		assertThat(this.registry.get("ge.redis.cache.loads")
			.tags("cache", "c", "outcome", "success")
			.timer()
			.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(2);
		assertThat(this.registry.get("ge.redis.cache.loads").tags("outcome", "error").timer().count()).isEqualTo(1);
		assertThat(
				this.registry.get("ge.redis.cache.writes").tags("cache", "c", "outcome", "published").counter().count())
			.isEqualTo(1);
		assertThat(this.registry.get("ge.redis.cache.unreadable").tags("cache", "c").counter().count()).isEqualTo(1);
	}

}
