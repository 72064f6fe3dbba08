// SPDX-License-Identifier: Apache-2.0

/**
 * Different visitors, counted by day.
 */
@NullMarked
package io.ge.redis.sample.visit;

import org.jspecify.annotations.NullMarked;
