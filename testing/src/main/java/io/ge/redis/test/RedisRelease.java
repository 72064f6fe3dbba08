// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

/**
 * Starts servers of one version, as {@link RedisServers} does of the version of the run.
 */
public final class RedisRelease {

	private final RedisBinary binary;

	RedisRelease(RedisBinary binary) {
		this.binary = binary;
	}

	/**
	 * The whole version.
	 * @return such as {@code 6.2.11}
	 */
	public String version() {
		return this.binary.version();
	}

	/**
	 * One server.
	 * @param settings lines of {@code redis.conf}, such as {@code appendonly yes}
	 * @return a server that answers
	 */
	public StandaloneRedis standalone(String... settings) {
		return StandaloneRedis.start(this.binary, 0, settings);
	}

	/**
	 * One primary and its replicas, without Sentinel.
	 * @param replicas the number of replicas
	 * @param settings lines of {@code redis.conf} for every server
	 * @return servers of which all replicas are in sync
	 */
	public StandaloneRedis standaloneWithReplicas(int replicas, String... settings) {
		return StandaloneRedis.start(this.binary, replicas, settings);
	}

	/**
	 * One primary, two replicas, three Sentinels.
	 * @param settings lines of {@code redis.conf} for every data node
	 * @return servers that are ready to fail over
	 */
	public SentinelRedis sentinel(String... settings) {
		return sentinelWithReplicas(2, settings);
	}

	/**
	 * One primary, its replicas, three Sentinels.
	 * @param replicas the number of replicas
	 * @param settings lines of {@code redis.conf} for every data node
	 * @return servers that are ready to fail over
	 */
	public SentinelRedis sentinelWithReplicas(int replicas, String... settings) {
		return SentinelRedis.start(this.binary, replicas, settings);
	}

	/**
	 * A Cluster of three primaries without replicas.
	 * @param settings lines of {@code redis.conf} for every node
	 * @return a Cluster whose nodes all see all slots served
	 */
	public ClusterRedis cluster(String... settings) {
		return ClusterRedis.start(this.binary, 0, settings);
	}

	/**
	 * A Cluster of three primaries that can fail over.
	 * @param replicasPerPrimary the number of replicas of each primary
	 * @param settings lines of {@code redis.conf} for every node
	 * @return a Cluster whose nodes all see all slots served and all replicas in sync
	 */
	public ClusterRedis clusterWithReplicas(int replicasPerPrimary, String... settings) {
		return ClusterRedis.start(this.binary, replicasPerPrimary, settings);
	}

}
