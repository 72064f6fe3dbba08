/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;

/**
 * A holder has finished.
 *
 * @param name the name of the lock
 * @param held how long it held the lock
 */
public record LockReleaseEvent(String name, Duration held) implements LockEvent {

	@Override
	public String result() {
		return "released";
	}

}
