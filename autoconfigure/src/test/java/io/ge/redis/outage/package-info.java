// SPDX-License-Identifier: Apache-2.0

/**
 * What happens to all patterns of one application when their Redis fails in some way, and
 * what stands afterwards.
 */
@NullMarked
package io.ge.redis.outage;

import org.jspecify.annotations.NullMarked;
