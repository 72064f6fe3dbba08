// SPDX-License-Identifier: Apache-2.0

/**
 * Handlers that take fencing tokens.
 */
@NullMarked
package io.ge.redis.web.lock;

import org.jspecify.annotations.NullMarked;
