/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.connection;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateAdapter;

/**
 * Runs an action when the driver loses a connection.
 */
final class LostConnectionListener extends RedisConnectionStateAdapter {

	private final Runnable action;

	LostConnectionListener(Runnable action) {
		this.action = action;
	}

	@Override
	public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
		this.action.run();
	}

}
