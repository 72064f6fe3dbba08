/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.queue;

/**
 * A job that is in its queue.
 *
 * @param id the id, unique in the queue
 * @param duplicate whether it was there before, or has ended within the
 * {@code dedup-window}: nothing was changed then
 */
public record EnqueuedJob(String id, boolean duplicate) {
}
