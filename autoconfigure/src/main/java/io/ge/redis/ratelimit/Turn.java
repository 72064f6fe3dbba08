/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

/**
 * A verdict, and how long the caller waits until it may proceed.
 *
 * @param verdict the verdict
 * @param waitNanos the time, zero or less if it may proceed at once
 */
record Turn(Verdict verdict, long waitNanos) {
}
