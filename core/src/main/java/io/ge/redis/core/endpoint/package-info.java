// SPDX-License-Identifier: Apache-2.0

/**
 * The endpoint, as far as patterns answer it.
 */
@NullMarked
package io.ge.redis.core.endpoint;

import org.jspecify.annotations.NullMarked;
