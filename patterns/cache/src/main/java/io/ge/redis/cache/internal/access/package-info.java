// SPDX-License-Identifier: Apache-2.0

/**
 * Readers: values from memory or Redis, or loaded and stored. Writers: from the call,
 * through the transaction, to the change of the entry.
 */
@NullMarked
package io.ge.redis.cache.internal.access;

import org.jspecify.annotations.NullMarked;
