// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

/**
 * Starts real Redis servers for a test, on the loopback interface and free ports. They
 * belong to the caller, who may break them and closes them; whatever is left goes with
 * the JVM. Suites that only use a server take {@link SharedRedis} instead.
 * <p>
 * The version is that of the run: {@code -Dge.test.redis=6.2}, {@code 7.0} (the default)
 * or the absolute path of an installed {@code redis-server} or {@code valkey-server}.
 */
public final class RedisServers {

	private RedisServers() {
	}

	/**
	 * Servers of a version beside that of the run.
	 * @param version {@code 6.2}, {@code 7.0} or the absolute path of a binary
	 * @return what starts them
	 * @throws IllegalStateException if it cannot be executed here
	 */
	public static RedisRelease version(String version) {
		return new RedisRelease(RedisBinary.of(version));
	}

	/**
	 * Servers of the version of the run, as all methods below start them.
	 * @return what starts them
	 */
	public static RedisRelease ofThisRun() {
		return new RedisRelease(RedisBinary.ofThisRun());
	}

	/**
	 * One server.
	 * @param settings lines of {@code redis.conf}, such as {@code appendonly yes}
	 * @return a server that answers
	 */
	public static StandaloneRedis standalone(String... settings) {
		return ofThisRun().standalone(settings);
	}

	/**
	 * One primary and its replicas, without Sentinel.
	 * @param replicas the number of replicas
	 * @param settings lines of {@code redis.conf} for every server
	 * @return servers of which all replicas are in sync
	 */
	public static StandaloneRedis standaloneWithReplicas(int replicas, String... settings) {
		return ofThisRun().standaloneWithReplicas(replicas, settings);
	}

	/**
	 * One primary, two replicas, three Sentinels.
	 * @param settings lines of {@code redis.conf} for every data node
	 * @return servers that are ready to fail over
	 */
	public static SentinelRedis sentinel(String... settings) {
		return ofThisRun().sentinel(settings);
	}

	/**
	 * A Cluster of three primaries without replicas.
	 * @param settings lines of {@code redis.conf} for every node
	 * @return a Cluster whose nodes all see all slots served
	 */
	public static ClusterRedis cluster(String... settings) {
		return ofThisRun().cluster(settings);
	}

	/**
	 * A Cluster of three primaries that can fail over.
	 * @param replicasPerPrimary the number of replicas of each primary
	 * @param settings lines of {@code redis.conf} for every node
	 * @return a Cluster whose nodes all see all slots served and all replicas in sync
	 */
	public static ClusterRedis clusterWithReplicas(int replicasPerPrimary, String... settings) {
		return ofThisRun().clusterWithReplicas(replicasPerPrimary, settings);
	}

}
