// SPDX-License-Identifier: Apache-2.0

/**
 * Messages between the instances of an application, and their heartbeats.
 */
@NullMarked
package io.ge.redis.core.bus;

import org.jspecify.annotations.NullMarked;
