// SPDX-License-Identifier: Apache-2.0

/**
 * Refusals as problem details, on servlets and on WebFlux.
 */
@NullMarked
package io.ge.redis.web.problem;

import org.jspecify.annotations.NullMarked;
