// SPDX-License-Identifier: Apache-2.0

/**
 * The repositories of Spring Session and their scripts. No API.
 */
@NullMarked
package io.ge.redis.session.internal;

import org.jspecify.annotations.NullMarked;
