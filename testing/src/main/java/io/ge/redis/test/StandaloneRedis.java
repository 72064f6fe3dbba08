// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.util.List;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * One primary, with or without replicas, that clients address directly.
 */
public final class StandaloneRedis extends RedisFixture {

	private final RedisNodes nodes;

	private StandaloneRedis(RedisNodes nodes) {
		this.nodes = nodes;
	}

	static StandaloneRedis start(RedisBinary binary, int replicas, String... settings) {
		RedisNodes nodes = new RedisNodes();
		nodes.setUp(() -> nodes.addReplicated(binary, replicas, settings));
		return new StandaloneRedis(nodes);
	}

	/**
	 * The server that clients connect to.
	 * @return the node that was started as primary
	 */
	public RedisNode primary() {
		return this.nodes.all().get(0);
	}

	/**
	 * The servers that were started as replicas.
	 * @return all of them, running or not
	 */
	public List<RedisNode> replicas() {
		List<RedisNode> all = this.nodes.all();
		return all.subList(1, all.size());
	}

	@Override
	public List<RedisNode> endpoints() {
		return this.nodes.running();
	}

	@Override
	public RedisConfiguration configuration() {
		return new RedisStandaloneConfiguration(primary().host(), primary().port());
	}

	@Override
	List<String> serverProperties() {
		return List.of("spring.data.redis.host=" + primary().host(), "spring.data.redis.port=" + primary().port());
	}

	@Override
	public void close() {
		this.nodes.close();
	}

}
