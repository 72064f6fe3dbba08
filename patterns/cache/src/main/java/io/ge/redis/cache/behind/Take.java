/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.behind;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The changes of a partition for the instance that asks to write them.
 *
 * @param waiting how many keys wait
 * @param due when to ask again: when a change is tried again, or the lease of another
 * instance ends; {@code null} if there is nothing to wait for
 * @param more whether there may be more to write now than was given
 * @param changes what to write now; may be none though there is more
 */
record Take(long waiting, @Nullable Duration due, boolean more, List<WaitingChange> changes) {
}
