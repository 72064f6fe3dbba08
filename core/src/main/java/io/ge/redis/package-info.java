// SPDX-License-Identifier: Apache-2.0

/**
 * The root of GE Redis: what every pattern and every caller shares.
 */
@NullMarked
package io.ge.redis;

import org.jspecify.annotations.NullMarked;
