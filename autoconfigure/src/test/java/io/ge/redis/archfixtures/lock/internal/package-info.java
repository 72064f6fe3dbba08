// SPDX-License-Identifier: Apache-2.0

/**
 * An inner room of a pattern.
 */
@NullMarked
package io.ge.redis.archfixtures.lock.internal;

import org.jspecify.annotations.NullMarked;
