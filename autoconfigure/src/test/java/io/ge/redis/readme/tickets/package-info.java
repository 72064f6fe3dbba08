// SPDX-License-Identifier: Apache-2.0

/**
 * An application whose tests are those of the page on testing.
 */
@NullMarked
package io.ge.redis.readme.tickets;

import org.jspecify.annotations.NullMarked;
