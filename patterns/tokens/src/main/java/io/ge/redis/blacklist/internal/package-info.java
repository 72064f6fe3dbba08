// SPDX-License-Identifier: Apache-2.0

/**
 * The guard on checked methods, the entries in Redis, and the copy of them that this
 * instance answers from.
 */
@NullMarked
package io.ge.redis.blacklist.internal;

import org.jspecify.annotations.NullMarked;
