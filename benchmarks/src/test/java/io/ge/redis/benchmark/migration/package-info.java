// SPDX-License-Identifier: Apache-2.0

/**
 * Code of other libraries, as the page on migration shows it. It is compiled and not run.
 */
@NullMarked
package io.ge.redis.benchmark.migration;

import org.jspecify.annotations.NullMarked;
