// SPDX-License-Identifier: Apache-2.0

/**
 * Who calls: login, signed tokens that are refreshed, and logout that holds on every
 * instance.
 */
@NullMarked
package io.ge.redis.sample.auth;

import org.jspecify.annotations.NullMarked;
