/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers that are stopped and must come back on the same port. They lie below
 * the range from which systems take the ports of outgoing connections, so that nothing
 * moves in while the server is away; the port 10000 above, which a cluster node uses for
 * its bus, is free as well. Test JVMs that run side by side take turns in that range.
 */
public final class FreePorts {

	private static final int LOWEST = 15_000;

	private static final int HIGHEST = 22_000;

	private static final int BUS_OFFSET = 10_000;

	/** More than there are test JVMs. */
	private static final int FORKS = 4;

	private static final int FORK = Integer.getInteger("ge.test.fork", 0) % FORKS;

	private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

	private FreePorts() {
	}

	/**
	 * Returns a port that nobody uses and that nobody is given again.
	 * @return the port
	 */
	public static int next() {
		for (int attempt = 0; attempt < 1_000; attempt++) {
			int port = ThreadLocalRandom.current().nextInt(LOWEST / FORKS, HIGHEST / FORKS) * FORKS + FORK;
			if (GIVEN.add(port) && isFree(port) && isFree(port + BUS_OFFSET)) {
				return port;
			}
		}
		throw new IllegalStateException("No free port between " + LOWEST + " and " + HIGHEST);
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

}
