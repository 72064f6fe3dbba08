// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Tests for {@link RedisRelease}.
 */
@Wide
class RedisReleaseIntegrationTests {

	@Test
	void everyTopologyStartsOnNamedVersion() {
		assumeThat(RedisBinary.isPresent("6.2")).isTrue();
		RedisRelease release = RedisServers.version("6.2");
		assertThat(release.version()).startsWith("6.2.");
		try (StandaloneRedis standalone = release.standaloneWithReplicas(1);
				SentinelRedis sentinel = release.sentinel();
				ClusterRedis cluster = release.clusterWithReplicas(1)) {
			for (RedisFixture redis : List.of(standalone, sentinel, cluster)) {
				assertThat(redis.endpoints()).hasSizeGreaterThan(1)
					.allSatisfy((endpoint) -> assertThat(endpoint.info("server", "redis_version"))
						.isEqualTo(release.version()));
			}
		}
	}

	@Test
	void versionsRunBesideEachOther() {
		try (StandaloneRedis redis = RedisServers.version("7.0").standalone()) {
			assertThat(redis.primary().info("server", "redis_version")).startsWith("7.0.");
			assertThat(SharedRedis.standalone().primary().info("server", "redis_version"))
				.isEqualTo(RedisBinary.ofThisRun().version());
		}
	}

	@Test
	void installedBinaryIsTakenByItsPath() {
		String path = RedisBinary.ofThisRun().path().toString();
		assertThat(RedisServers.version(path).version()).isEqualTo(RedisBinary.ofThisRun().version());
	}

	@Test
	void unknownVersionIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> RedisServers.version("6"))
			.withMessageContaining("6.2")
			.withMessageContaining("'6'");
		assertThatIllegalStateException().isThrownBy(() -> RedisServers.version("/nowhere/redis-server"))
			.withMessage("No Redis /nowhere/redis-server can be executed here");
	}

}
