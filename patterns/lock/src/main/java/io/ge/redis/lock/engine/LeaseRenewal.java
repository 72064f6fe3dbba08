/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock.engine;

import java.time.Duration;

/**
 * A lease that is to be extended.
 */
public record LeaseRenewal(RedisLockKey key, String handle, Duration lease) {
}
