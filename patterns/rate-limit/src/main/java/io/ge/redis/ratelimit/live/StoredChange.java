/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.live;

import java.time.Duration;

import io.ge.redis.ratelimit.RateLimitChange;
import org.jspecify.annotations.Nullable;

/**
 * One live change as all instances share it: of settings, or a block of a key.
 *
 * @param key the key that it is about, joined, or {@code null} for all keys
 */
public record StoredChange(String name, @Nullable String key, @Nullable RateLimitChange change,
		@Nullable Duration blockedFor) {
}
