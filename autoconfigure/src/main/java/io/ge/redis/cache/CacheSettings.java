/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.time.Duration;

/**
 * The effective settings of one cache.
 *
 * @param ttl how long a value stays
 * @param negativeTtl how long "there is nothing" stays; zero if it is not cached
 * @param leaseTime how long a caller may take to load a value that is to be cached
 * @param loadWait how long others wait for that value
 */
record CacheSettings(Duration ttl, Duration negativeTtl, Duration leaseTime, Duration loadWait) {

	Duration longestTtl() {
		return (this.ttl.compareTo(this.negativeTtl) > 0) ? this.ttl : this.negativeTtl;
	}

}
