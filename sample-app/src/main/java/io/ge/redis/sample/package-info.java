// SPDX-License-Identifier: Apache-2.0

/**
 * A small trading desk that uses every pattern as an application would. One package per
 * subject of the desk; what they share stands here.
 */
@NullMarked
package io.ge.redis.sample;

import org.jspecify.annotations.NullMarked;
