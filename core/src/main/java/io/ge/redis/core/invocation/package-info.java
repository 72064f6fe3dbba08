// SPDX-License-Identifier: Apache-2.0

/**
 * From an annotation to an operation: attributes read and merged with properties once per
 * method, expressions parsed once.
 */
@NullMarked
package io.ge.redis.core.invocation;

import org.jspecify.annotations.NullMarked;
