// SPDX-License-Identifier: Apache-2.0

/**
 * The repositories of Spring Session for servlets and for WebFlux.
 */
@NullMarked
package io.ge.redis.web.session;

import org.jspecify.annotations.NullMarked;
