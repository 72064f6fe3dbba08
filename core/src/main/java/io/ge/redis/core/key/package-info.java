// SPDX-License-Identifier: Apache-2.0

/**
 * Key layout: {@code prefix:pattern:{entity}:suffix}, with all user text escaped.
 */
@NullMarked
package io.ge.redis.core.key;

import org.jspecify.annotations.NullMarked;
