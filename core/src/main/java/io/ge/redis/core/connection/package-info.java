// SPDX-License-Identifier: Apache-2.0

/**
 * The guards' own connection to Redis, made from the application's settings.
 */
@NullMarked
package io.ge.redis.core.connection;

import org.jspecify.annotations.NullMarked;
