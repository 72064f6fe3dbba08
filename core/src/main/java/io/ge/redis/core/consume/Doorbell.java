/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.consume;

import io.ge.redis.core.key.RedisKey;

/**
 * A stream whose next entry wakes a container.
 *
 * @param key the stream
 * @param after the id of the last entry that is known, {@code 0-0} for none
 */
public record Doorbell(RedisKey key, String after) {
}
