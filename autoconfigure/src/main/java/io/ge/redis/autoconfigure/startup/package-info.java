// SPDX-License-Identifier: Apache-2.0

/**
 * Checks once, while an application starts: which patterns are in use, and which settings
 * are wrong or without effect.
 */
@NullMarked
package io.ge.redis.autoconfigure.startup;

import org.jspecify.annotations.NullMarked;
