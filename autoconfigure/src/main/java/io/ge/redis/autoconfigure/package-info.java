// SPDX-License-Identifier: Apache-2.0

/**
 * Puts GE Redis into a Spring Boot application.
 */
@NullMarked
package io.ge.redis.autoconfigure;

import org.jspecify.annotations.NullMarked;
