// SPDX-License-Identifier: Apache-2.0

/**
 * Meters, health and the endpoint.
 */
@NullMarked
package io.ge.redis.actuate;

import org.jspecify.annotations.NullMarked;
