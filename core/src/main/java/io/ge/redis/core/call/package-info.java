// SPDX-License-Identifier: Apache-2.0

/**
 * Guarded calls in all forms: plain ones, futures, publishers and suspending functions. A
 * pattern states its steps once; this package runs them in each form, without blocking in
 * the asynchronous ones.
 */
@NullMarked
package io.ge.redis.core.call;

import org.jspecify.annotations.NullMarked;
