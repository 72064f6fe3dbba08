// SPDX-License-Identifier: Apache-2.0

/**
 * Desks by place.
 */
@NullMarked
package io.ge.redis.sample.desk;

import org.jspecify.annotations.NullMarked;
