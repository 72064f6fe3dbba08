// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import org.testcontainers.DockerClientFactory;

/**
 * Whether containers can be started here. Testcontainers is asked only if something
 * listens where a daemon would, since without one it takes seconds and logs stack traces
 * to find out.
 */
final class Docker {

	private static final boolean AVAILABLE = isConfigured() && DockerClientFactory.instance().isDockerAvailable();

	private Docker() {
	}

	static boolean isAvailable() {
		return AVAILABLE;
	}

	private static boolean isConfigured() {
		String home = System.getProperty("user.home");
		String runtime = System.getenv().getOrDefault("XDG_RUNTIME_DIR", home);
		return System.getenv("DOCKER_HOST") != null || Files.exists(Path.of(home, ".testcontainers.properties"))
				|| Stream
					.of(Path.of("/var/run/docker.sock"), Path.of(runtime, "docker.sock"),
							Path.of(home, ".docker", "run", "docker.sock"))
					.anyMatch(Docker::isListening);
	}

	private static boolean isListening(Path socket) {
		try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
			return channel.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

}
