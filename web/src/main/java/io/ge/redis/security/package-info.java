// SPDX-License-Identifier: Apache-2.0

/**
 * Connects Spring Security with the guards: who calls, which token a call presents, and
 * whether a JWT was revoked.
 */
@NullMarked
package io.ge.redis.security;

import org.jspecify.annotations.NullMarked;
