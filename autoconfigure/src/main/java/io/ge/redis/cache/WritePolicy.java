/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.time.Duration;

/**
 * The policy of the writers of a cache.
 *
 * @param consistency what they do around a commit
 * @param strict whether nothing is committed that cannot be announced
 * @param useful how long an old value can stay in Redis
 */
record WritePolicy(Consistency consistency, boolean strict, Duration useful) {

	static WritePolicy proceeding(Consistency consistency, Duration useful) {
		return new WritePolicy(consistency, false, useful);
	}

}
