// SPDX-License-Identifier: Apache-2.0

/**
 * Annotated methods, the API for code, the operator's view, and the assembly of the
 * pattern.
 */
@NullMarked
package io.ge.redis.blacklist.guard;

import org.jspecify.annotations.NullMarked;
