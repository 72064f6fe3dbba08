/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.settings;

import java.time.Duration;

import io.ge.redis.cache.Consistency;

/**
 * The policy of the writers of a cache.
 *
 * @param strict whether nothing is committed that cannot be announced
 * @param useful how long an old value can stay in Redis
 */
public record WritePolicy(Consistency consistency, boolean strict, Duration useful) {

	public static WritePolicy proceeding(Consistency consistency, Duration useful) {
		return new WritePolicy(consistency, false, useful);
	}

}
