// SPDX-License-Identifier: Apache-2.0

/**
 * Annotated methods, the API for code, transactions, the operator's view, and the
 * assembly of the pattern.
 */
@NullMarked
package io.ge.redis.lock.guard;

import org.jspecify.annotations.NullMarked;
