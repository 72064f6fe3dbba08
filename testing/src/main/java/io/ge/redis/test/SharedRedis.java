// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.util.ArrayList;
import java.util.List;

/**
 * Servers that live as long as the JVM and are used by one suite after another. They
 * start on first use. Whoever uses them starts from {@link RedisFixture#flushAll()} and
 * leaves them running and configured as they were.
 */
public final class SharedRedis {

	private SharedRedis() {
	}

	/**
	 * What an application needs to use the standalone server. It waits for it for long,
	 * since a server that nobody breaks is never away, only the machine busy.
	 * @return pairs as {@code name=value}
	 */
	public static String[] properties() {
		List<String> properties = new ArrayList<>(List.of(standalone().properties()));
		properties.add("ge.redis.outage.command-timeout=5s");
		return properties.toArray(String[]::new);
	}

	public static StandaloneRedis standalone() {
		return Standalone.REDIS;
	}

	public static SentinelRedis sentinel() {
		return Sentinel.REDIS;
	}

	public static ClusterRedis cluster() {
		return Cluster.REDIS;
	}

	static StandaloneRedis redis62() {
		return Redis62.REDIS;
	}

	/**
	 * The oldest servers that we support, where they can be executed.
	 */
	private static RedisRelease oldest() {
		return RedisBinary.isPresent(RedisBinary.VERSION_6_2) ? RedisServers.version(RedisBinary.VERSION_6_2)
				: RedisServers.ofThisRun();
	}

	private static final class Standalone {

		private static final StandaloneRedis REDIS = RedisServers.standalone();

	}

	private static final class Sentinel {

		private static final SentinelRedis REDIS = oldest().sentinel();

	}

	private static final class Cluster {

		private static final ClusterRedis REDIS = RedisServers.cluster();

	}

	private static final class Redis62 {

		private static final StandaloneRedis REDIS = oldest().standalone();

	}

}
