// SPDX-License-Identifier: Apache-2.0

/**
 * A pattern whose package is null-marked, as it should be.
 */
@NullMarked
package io.ge.redis.archfixtures.lock;

import org.jspecify.annotations.NullMarked;
