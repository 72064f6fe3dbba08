// SPDX-License-Identifier: Apache-2.0

/**
 * Whether values survive being written as JSON and read back.
 */
@NullMarked
package io.ge.redis.core.json;

import org.jspecify.annotations.NullMarked;
