// SPDX-License-Identifier: Apache-2.0

/**
 * Real Redis servers for tests: start them, break them, count what they were asked.
 */
@NullMarked
package io.ge.redis.test;

import org.jspecify.annotations.NullMarked;
