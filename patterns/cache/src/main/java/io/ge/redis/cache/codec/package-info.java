// SPDX-License-Identifier: Apache-2.0

/**
 * Values as bytes: a header, then JSON by the declared type.
 */
@NullMarked
package io.ge.redis.cache.codec;

import org.jspecify.annotations.NullMarked;
