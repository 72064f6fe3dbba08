// SPDX-License-Identifier: Apache-2.0

/**
 * Hash stores: the state of many objects, each read and written field by field.
 */
@NullMarked
package io.ge.redis.hash;

import org.jspecify.annotations.NullMarked;
