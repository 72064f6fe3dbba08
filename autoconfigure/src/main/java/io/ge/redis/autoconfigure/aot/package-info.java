// SPDX-License-Identifier: Apache-2.0

/**
 * Hints for native images: resources, proxies, and members reached by reflection.
 */
@NullMarked
package io.ge.redis.autoconfigure.aot;

import org.jspecify.annotations.NullMarked;
