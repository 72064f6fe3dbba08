// SPDX-License-Identifier: Apache-2.0

/**
 * Two endpoints of the trading desk on an event loop: the same annotations, and the same
 * answers as in the sample for servlets.
 */
@NullMarked
package io.ge.redis.sample.webflux;

import org.jspecify.annotations.NullMarked;
