// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

/**
 * The answer to a job that was put into a queue.
 *
 * @param id the id of the job, or of the one that holds its key
 * @param duplicate whether another job holds the key: nothing was changed then
 */
public record EnqueuedJob(String id, boolean duplicate) {
}
