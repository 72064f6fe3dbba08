// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * One server of another version, in a container.
 */
final class ContainerRedis extends RedisFixture {

	private static final int REDIS_PORT = 6379;

	private static final Map<String, ContainerRedis> SHARED = new ConcurrentHashMap<>();

	private final GenericContainer<?> container;

	private final RedisEndpoint endpoint;

	private ContainerRedis(GenericContainer<?> container) {
		this.container = container;
		this.endpoint = new RedisEndpoint(container.getHost(), container.getMappedPort(REDIS_PORT));
	}

	/**
	 * A container that runs until the JVM ends.
	 */
	static ContainerRedis shared(String image) {
		return SHARED.computeIfAbsent(image, ContainerRedis::start);
	}

	private static ContainerRedis start(String image) {
		GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(image))
			.withExposedPorts(REDIS_PORT);
		container.start();
		return new ContainerRedis(container);
	}

	@Override
	public List<RedisEndpoint> endpoints() {
		return List.of(this.endpoint);
	}

	@Override
	public RedisConfiguration configuration() {
		return new RedisStandaloneConfiguration(this.endpoint.host(), this.endpoint.port());
	}

	@Override
	List<String> serverProperties() {
		return List.of("spring.data.redis.host=" + this.endpoint.host(),
				"spring.data.redis.port=" + this.endpoint.port());
	}

	@Override
	public void close() {
		this.container.stop();
	}

}
