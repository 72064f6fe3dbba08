// SPDX-License-Identifier: Apache-2.0

/**
 * One standing channel for each instance of the application.
 */
@NullMarked
package io.ge.redis.core.bus;

import org.jspecify.annotations.NullMarked;
