// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

/**
 * A job that was given up, kept as a dead letter.
 *
 * @param id the id of the dead letter, which begins with the time in milliseconds
 * @param job the id of the job
 * @param attempts how often it has begun
 * @param priority from 0 to 9
 * @param reason {@code failed}, {@code rejected} or {@code lease-expired}
 * @param problem why the last attempt has failed
 */
public record DeadJob(String id, String job, int attempts, int priority, String reason, String problem) {
}
