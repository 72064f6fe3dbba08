// SPDX-License-Identifier: Apache-2.0

/**
 * The frame of guards: one interceptor for annotated methods in every calling style, the
 * advisor of a pattern, and the checks at startup.
 */
@NullMarked
package io.ge.redis.core.guard;

import org.jspecify.annotations.NullMarked;
