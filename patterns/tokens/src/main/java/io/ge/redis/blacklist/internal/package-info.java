// SPDX-License-Identifier: Apache-2.0

/**
 * Decisions about tokens and subjects: the rows in Redis, and what this instance
 * remembers of them.
 */
@NullMarked
package io.ge.redis.blacklist.internal;
import org.jspecify.annotations.NullMarked;
