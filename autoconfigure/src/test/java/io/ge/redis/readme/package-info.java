// SPDX-License-Identifier: Apache-2.0

/**
 * The code of the README, compiled and run.
 */
@NullMarked
package io.ge.redis.readme;

import org.jspecify.annotations.NullMarked;
