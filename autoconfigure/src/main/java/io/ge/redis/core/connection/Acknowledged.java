/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.connection;

/**
 * How many replicas have what a connection has written.
 *
 * @param replicas how many have acknowledged it in time
 * @param connected how many replicas the server has at all; negative if nobody asked,
 * since there were enough, or nobody knows
 */
public record Acknowledged(int replicas, int connected) {
}
