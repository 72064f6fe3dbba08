// SPDX-License-Identifier: Apache-2.0

/**
 * Runs under faults: seeds, rounds, and the table of what was promised and what came of
 * it.
 */
@NullMarked
package io.ge.redis.test.fault;

import org.jspecify.annotations.NullMarked;
