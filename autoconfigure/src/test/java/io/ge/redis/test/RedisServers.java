/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.test;

/**
 * Starts real Redis servers for a test, on the loopback interface and free ports. They
 * belong to the caller, who may break them and closes them; whatever is left goes with
 * the JVM. Suites that only use a server take {@link SharedRedis} instead.
 */
public final class RedisServers {

	private RedisServers() {
	}

	/**
	 * One server.
	 * @param settings lines of {@code redis.conf}, such as {@code appendonly yes}
	 * @return a server that answers
	 */
	public static StandaloneRedis standalone(String... settings) {
		return StandaloneRedis.start(0, settings);
	}

	/**
	 * One primary and its replicas, without Sentinel.
	 * @param replicas the number of replicas
	 * @param settings lines of {@code redis.conf} for every server
	 * @return servers of which all replicas are in sync
	 */
	public static StandaloneRedis standaloneWithReplicas(int replicas, String... settings) {
		return StandaloneRedis.start(replicas, settings);
	}

	/**
	 * One primary, two replicas, three Sentinels.
	 * @param settings lines of {@code redis.conf} for every data node
	 * @return servers that are ready to fail over
	 */
	public static SentinelRedis sentinel(String... settings) {
		return SentinelRedis.start(settings);
	}

	/**
	 * A Cluster of three primaries without replicas.
	 * @param settings lines of {@code redis.conf} for every node
	 * @return a Cluster whose nodes all see all slots served
	 */
	public static ClusterRedis cluster(String... settings) {
		return ClusterRedis.start(0, settings);
	}

	/**
	 * A Cluster of three primaries that can fail over.
	 * @param replicasPerPrimary the number of replicas of each primary
	 * @param settings lines of {@code redis.conf} for every node
	 * @return a Cluster whose nodes all see all slots served and all replicas in sync
	 */
	public static ClusterRedis clusterWithReplicas(int replicasPerPrimary, String... settings) {
		return ClusterRedis.start(replicasPerPrimary, settings);
	}

}
