// SPDX-License-Identifier: Apache-2.0

/**
 * Jobs that are done later, by whichever instance.
 */
@NullMarked
package io.ge.redis.sample.job;

import org.jspecify.annotations.NullMarked;
