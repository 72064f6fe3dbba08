/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.spring;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts of calls to a cache through Spring's interface, on this instance.
 */
final class SpringCacheCounts {

	final LongAdder hits = new LongAdder();

	final LongAdder misses = new LongAdder();

	final LongAdder puts = new LongAdder();

	final LongAdder removals = new LongAdder();

}
