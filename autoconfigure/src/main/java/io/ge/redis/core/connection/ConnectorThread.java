/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.connection;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Threads that open connections, so that nobody who is guarded ever waits for a
 * handshake.
 */
final class ConnectorThread {

	private ConnectorThread() {
	}

	static ScheduledExecutorService create(String name) {
		return Executors.newScheduledThreadPool(2, (task) -> {
			Thread thread = new Thread(task, name);
			thread.setDaemon(true);
			return thread;
		});
	}

}
