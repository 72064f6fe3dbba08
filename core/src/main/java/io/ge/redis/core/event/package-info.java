// SPDX-License-Identifier: Apache-2.0

/**
 * Events of the guards' decisions, for meters, the application and tests.
 */
@NullMarked
package io.ge.redis.core.event;

import org.jspecify.annotations.NullMarked;
