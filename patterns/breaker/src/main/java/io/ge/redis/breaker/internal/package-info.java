// SPDX-License-Identifier: Apache-2.0

/**
 * Local breakers, the state that all instances share, and the guard on both.
 */
@NullMarked
package io.ge.redis.breaker.internal;

import org.jspecify.annotations.NullMarked;
