// SPDX-License-Identifier: Apache-2.0

/**
 * Tables of results and their charts.
 */
@NullMarked
package io.ge.redis.benchmark.report;

import org.jspecify.annotations.NullMarked;
