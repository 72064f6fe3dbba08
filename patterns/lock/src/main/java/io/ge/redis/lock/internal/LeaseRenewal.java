// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A lease that is to be extended.
 *
 * @param lost the tokens under which a new primary may not know the lock, which is
 * written again then, or {@code null}
 */
record LeaseRenewal(RedisLockKey key, String handle, Duration lease, LockAnswer.@Nullable TokenRange lost) {
}
