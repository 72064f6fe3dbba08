// SPDX-License-Identifier: Apache-2.0

/**
 * Conditions on the properties of this library.
 */
@NullMarked
package io.ge.redis.autoconfigure.condition;

import org.jspecify.annotations.NullMarked;
