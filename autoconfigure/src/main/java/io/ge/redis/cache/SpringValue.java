/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

/**
 * The value that a method with one of Spring's annotations gives a cache.
 *
 * @param type the type of the values
 * @param optional whether they come in an {@code Optional} that Spring does not unwrap,
 * as within a future
 */
record SpringValue(CacheType type, boolean optional) {
}
