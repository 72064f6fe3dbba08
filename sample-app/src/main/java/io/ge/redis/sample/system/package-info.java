// SPDX-License-Identifier: Apache-2.0

/**
 * A switch that all instances share.
 */
@NullMarked
package io.ge.redis.sample.system;

import org.jspecify.annotations.NullMarked;
