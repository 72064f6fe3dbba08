// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.leaderboard;

import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Nested;

/**
 * The promises of leaderboards, on each kind of Redis.
 */
class LeaderboardsIntegrationTests {

	@Nested
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends LeaderboardsContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.CLUSTER)
	class OnCluster extends LeaderboardsContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.REDIS_6_2)
	class OnRedis62 extends LeaderboardsContract {

	}

}
