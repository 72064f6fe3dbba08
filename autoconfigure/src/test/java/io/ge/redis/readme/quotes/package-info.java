// SPDX-License-Identifier: Apache-2.0

/**
 * The application of the README and of the page on getting started.
 */
@NullMarked
package io.ge.redis.readme.quotes;

import org.jspecify.annotations.NullMarked;
