// SPDX-License-Identifier: Apache-2.0

/**
 * The live page at {@code /}: figures as they change, and a switch that makes the
 * embedded Redis hang.
 */
@NullMarked
package io.ge.redis.sample.live;

import org.jspecify.annotations.NullMarked;
