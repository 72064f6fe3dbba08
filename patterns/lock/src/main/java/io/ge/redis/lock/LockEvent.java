// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import io.ge.redis.core.event.GuardEvent;

/**
 * Events of locks of this instance.
 */
public sealed interface LockEvent extends GuardEvent permits LockAcquireEvent, LockReleaseEvent, LockLostEvent {

	@Override
	default String pattern() {
		return "lock";
	}

}
