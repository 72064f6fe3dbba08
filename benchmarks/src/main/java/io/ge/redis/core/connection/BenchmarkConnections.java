/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.connection;

/**
 * Puts a connection of a benchmark in the place of a driver's. In this package, since the
 * library offers no such thing to applications.
 */
public final class BenchmarkConnections {

	private BenchmarkConnections() {
	}

	/**
	 * Wraps a connection as the guards want it.
	 * @param connection the connection
	 * @return the same as a restartable one, which is never made anew
	 */
	public static RestartableGuardConnection of(GuardConnection connection) {
		return new RestartableGuardConnection(() -> connection);
	}

}
