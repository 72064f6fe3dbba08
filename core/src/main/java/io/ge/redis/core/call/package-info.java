// SPDX-License-Identifier: Apache-2.0

/**
 * Calls whose result comes after they have returned: futures, publishers and suspending
 * functions. A pattern says once what it does around such a call; here stands how that is
 * done in each form, without blocking anybody.
 */
@NullMarked
package io.ge.redis.core.call;

import org.jspecify.annotations.NullMarked;
