// SPDX-License-Identifier: Apache-2.0

/**
 * The console of an application, where its endpoints are served.
 */
@NullMarked
package io.ge.redis.autoconfigure.console;

import org.jspecify.annotations.NullMarked;
