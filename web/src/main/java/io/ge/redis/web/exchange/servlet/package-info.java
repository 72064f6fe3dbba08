// SPDX-License-Identifier: Apache-2.0

/**
 * Responses of idempotent handlers that are kept and replayed, on servlets.
 */
@NullMarked
package io.ge.redis.web.exchange.servlet;

import org.jspecify.annotations.NullMarked;
