/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

/**
 * Fencing tokens that are this instance's alone, to be used in their order.
 *
 * @param first the lowest
 * @param last the highest
 */
record TokenRange(long first, long last) {
}
