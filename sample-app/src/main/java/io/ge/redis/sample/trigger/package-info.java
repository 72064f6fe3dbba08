// SPDX-License-Identifier: Apache-2.0

/**
 * Triggers of agents over streams.
 */
@NullMarked
package io.ge.redis.sample.trigger;

import org.jspecify.annotations.NullMarked;
