// SPDX-License-Identifier: Apache-2.0

/**
 * A real {@code redis-server} that starts and stops with the application, for development
 * and tests. It takes the binary that {@code org.signal:embedded-redis} carries.
 */
@NullMarked
package io.ge.redis.embedded;

import org.jspecify.annotations.NullMarked;
