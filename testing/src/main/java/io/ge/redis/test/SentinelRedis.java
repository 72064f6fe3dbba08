// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import org.awaitility.Awaitility;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;

/**
 * A primary with two replicas, watched by three Sentinels of which two must agree. A
 * primary that is silent for a second counts as down.
 */
public final class SentinelRedis extends RedisFixture {

	/**
	 * The name under which the Sentinels know the primary.
	 */
	public static final String MASTER = "ge-primary";

	private static final int SENTINELS = 3;

	private static final int QUORUM = 2;

	private final RedisNodes nodes;

	private final RedisNodes sentinels;

	private SentinelRedis(RedisNodes nodes, RedisNodes sentinels) {
		this.nodes = nodes;
		this.sentinels = sentinels;
	}

	static SentinelRedis start(RedisBinary binary, int replicas, String... settings) {
		SentinelRedis redis = new SentinelRedis(new RedisNodes(), new RedisNodes());
		redis.nodes.setUp(() -> redis.nodes.addReplicated(binary, replicas, settings));
		try {
			redis.startSentinels(binary, replicas);
		}
		catch (RuntimeException ex) {
			redis.close();
			throw ex;
		}
		return redis;
	}

	private void startSentinels(RedisBinary binary, int replicas) {
		RedisNode primary = this.nodes.all().get(0);
		for (int i = 0; i < SENTINELS; i++) {
			this.sentinels.add(RedisNode.sentinel(binary,
					"sentinel monitor " + MASTER + " " + primary.host() + " " + primary.port() + " " + QUORUM,
					"sentinel down-after-milliseconds " + MASTER + " 1000",
					"sentinel failover-timeout " + MASTER + " 3000", "sentinel parallel-syncs " + MASTER + " 2"));
		}
		for (RedisNode sentinel : this.sentinels.all()) {
			Awaitility.await("Sentinel " + sentinel + " to know all others").until(() -> knowsAll(sentinel, replicas));
		}
	}

	private static boolean knowsAll(RedisNode sentinel, int replicas) {
		return size(sentinel.command("SENTINEL", "SENTINELS", MASTER)) == SENTINELS - 1
				&& size(sentinel.command("SENTINEL", "REPLICAS", MASTER)) == replicas;
	}

	private static int size(Object reply) {
		return ((List<?>) reply).size();
	}

	/**
	 * Begins a planned failover, while the primary works.
	 */
	public void failOver() {
		this.sentinels.all().get(0).command("SENTINEL", "FAILOVER", MASTER);
	}

	/**
	 * The server that all running Sentinels name as primary. While they disagree, this
	 * waits.
	 * @return the node, perhaps one that has just died
	 */
	public RedisNode primary() {
		return Awaitility.await("Sentinels to agree").until(this::namedPrimaries, (named) -> named.size() == 1).get(0);
	}

	/**
	 * Waits until another server has taken over: all running Sentinels name it, and it is
	 * a primary.
	 * @param former the primary before
	 * @return the primary after
	 */
	public RedisNode awaitFailover(RedisNode former) {
		return Awaitility.await("failover from " + former)
			.atMost(Duration.ofSeconds(30))
			.until(this::primary, (named) -> named != former && named.isRunning() && named.isPrimary());
	}

	private List<RedisNode> namedPrimaries() {
		return this.sentinels.running().stream().map(this::namedPrimary).distinct().toList();
	}

	private RedisNode namedPrimary(RedisNode sentinel) {
		List<?> address = (List<?>) sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER);
		return this.nodes.all()
			.stream()
			.filter((node) -> String.valueOf(node.port()).equals(address.get(1)))
			.findFirst()
			.orElseThrow();
	}

	/**
	 * The data nodes.
	 * @return all of them, running or not, the first primary first
	 */
	public List<RedisNode> nodes() {
		return this.nodes.all();
	}

	/**
	 * The Sentinels.
	 * @return all of them, running or not
	 */
	public List<RedisNode> sentinels() {
		return this.sentinels.all();
	}

	@Override
	public List<RedisNode> endpoints() {
		return this.nodes.running();
	}

	@Override
	public RedisConfiguration configuration() {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master(MASTER);
		this.sentinels.all().forEach((sentinel) -> configuration.sentinel(sentinel.host(), sentinel.port()));
		return configuration;
	}

	@Override
	List<String> serverProperties() {
		String addresses = this.sentinels.all().stream().map(RedisEndpoint::address).collect(Collectors.joining(","));
		return List.of("spring.data.redis.sentinel.master=" + MASTER, "spring.data.redis.sentinel.nodes=" + addresses);
	}

	@Override
	public void close() {
		this.sentinels.close();
		this.nodes.close();
	}

}
