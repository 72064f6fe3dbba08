// SPDX-License-Identifier: Apache-2.0

/**
 * Writers: from the call, through the transaction, to the change of the entry.
 */
@NullMarked
package io.ge.redis.cache.write;

import org.jspecify.annotations.NullMarked;
