// SPDX-License-Identifier: Apache-2.0

/**
 * Looks once, while an application starts: at what is used, what is wrong and what is
 * without effect.
 */
@NullMarked
package io.ge.redis.autoconfigure.startup;

import org.jspecify.annotations.NullMarked;
