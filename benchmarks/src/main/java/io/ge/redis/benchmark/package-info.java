// SPDX-License-Identifier: Apache-2.0

/**
 * Measures what the patterns cost, in one run beside a PING, beside the scripts sent
 * without the library, and beside what else does the same.
 */
@NullMarked
package io.ge.redis.benchmark;

import org.jspecify.annotations.NullMarked;
