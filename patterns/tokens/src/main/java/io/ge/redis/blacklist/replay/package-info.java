// SPDX-License-Identifier: Apache-2.0

/**
 * Ids that may be used once, over all instances:
 * {@link io.ge.redis.blacklist.replay.UsedIds}.
 */
@NullMarked
package io.ge.redis.blacklist.replay;

import org.jspecify.annotations.NullMarked;
