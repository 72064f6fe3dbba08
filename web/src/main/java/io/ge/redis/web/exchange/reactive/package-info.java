// SPDX-License-Identifier: Apache-2.0

/**
 * Responses of idempotent handlers that are kept and replayed, on WebFlux.
 */
@NullMarked
package io.ge.redis.web.exchange.reactive;

import org.jspecify.annotations.NullMarked;
