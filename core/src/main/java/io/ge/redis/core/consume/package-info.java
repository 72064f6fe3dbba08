// SPDX-License-Identifier: Apache-2.0

/**
 * The frame of consumers: one container runs work that arrives, whatever it arrives in.
 * <p>
 * A pattern gives a {@link io.ge.redis.core.consume.WorkSource} and a
 * {@link io.ge.redis.core.consume.WorkHandler}; lease, heartbeat, acknowledgement after
 * the work, retry, rejection, permits, outages and stopping are here.
 */
@NullMarked
package io.ge.redis.core.consume;

import org.jspecify.annotations.NullMarked;
