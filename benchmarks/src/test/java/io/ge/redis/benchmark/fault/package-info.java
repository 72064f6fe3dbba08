// SPDX-License-Identifier: Apache-2.0

/**
 * What goes wrong for us goes wrong for our peers too: the scenarios of the fault tests
 * with the peers' locks, rate limits and caches in our place.
 */
@NullMarked
package io.ge.redis.benchmark.fault;

import org.jspecify.annotations.NullMarked;
