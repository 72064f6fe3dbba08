/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.cache.spring.SpringCache;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.binder.cache.CacheMeterBinder;
import org.jspecify.annotations.Nullable;

/**
 * Spring Boot's meters of one cache: what is done to it through Spring on this instance.
 */
final class SpringCacheMeters extends CacheMeterBinder<SpringCache> {

	private final SpringCache cache;

	SpringCacheMeters(SpringCache cache, Iterable<Tag> tags) {
		super(cache, cache.getName(), tags);
		this.cache = cache;
	}

	@Override
	protected @Nullable Long size() {
		return null;
	}

	@Override
	protected long hitCount() {
		return this.cache.hits();
	}

	@Override
	protected Long missCount() {
		return this.cache.misses();
	}

	@Override
	protected @Nullable Long evictionCount() {
		return null;
	}

	@Override
	protected long putCount() {
		return this.cache.puts();
	}

	@Override
	protected void bindImplementationSpecificMetrics(MeterRegistry registry) {
		FunctionCounter.builder("cache.removals", this.cache, SpringCache::removals)
			.tags(getTagsWithCacheName())
			.description("Cache removals")
			.register(registry);
	}

}
