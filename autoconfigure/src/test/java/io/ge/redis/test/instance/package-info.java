// SPDX-License-Identifier: Apache-2.0

/**
 * Instances of an application in JVMs of their own, which a test starts, calls, kills,
 * pauses and breaks at a line of its choice.
 */
@NullMarked
package io.ge.redis.test.instance;

import org.jspecify.annotations.NullMarked;
