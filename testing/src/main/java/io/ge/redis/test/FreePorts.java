// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers that are stopped and must come back on the same port. They lie below
 * the range from which systems take the ports of outgoing connections, so that nothing
 * moves in while the server is away; the port 10000 above, which a cluster node uses for
 * its bus, is free as well. Test JVMs that run side by side, of one build or of several,
 * keep out of each other's way by locks on one file, which end with them.
 */
public final class FreePorts {

	private static final int LOWEST = 15_000;

	private static final int HIGHEST = 22_000;

	private static final int BUS_OFFSET = 10_000;

	private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

	/** Each given port is a locked byte of it. */
	private static final FileChannel CLAIMS = claims();

	private FreePorts() {
	}

	/**
	 * Returns a port that nobody uses and that nobody is given again.
	 * @return the port
	 */
	public static int next() {
		for (int attempt = 0; attempt < 1_000; attempt++) {
			int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
			if (GIVEN.add(port) && claim(port) && isFree(port) && isFree(port + BUS_OFFSET)) {
				return port;
			}
		}
		throw new IllegalStateException("No free port between " + LOWEST + " and " + HIGHEST);
	}

	private static FileChannel claims() {
		Path file = Path.of(System.getProperty("java.io.tmpdir"), "ge-redis-test-ports");
		try {
			return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean claim(int port) {
		try {
			return CLAIMS.tryLock(port, 1, false) != null;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
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
