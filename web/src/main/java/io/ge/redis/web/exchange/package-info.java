// SPDX-License-Identifier: Apache-2.0

/**
 * Requests and responses of idempotent handlers, whichever web stack answers them.
 */
@NullMarked
package io.ge.redis.web.exchange;

import org.jspecify.annotations.NullMarked;
