// SPDX-License-Identifier: Apache-2.0

/**
 * Taking part in the application's transactions, bound to threads or to subscribers.
 */
@NullMarked
package io.ge.redis.core.transaction;

import org.jspecify.annotations.NullMarked;
