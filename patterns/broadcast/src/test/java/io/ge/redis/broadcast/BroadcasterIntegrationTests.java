// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.broadcast;

import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Nested;

/**
 * The promises of broadcasts, on each kind of Redis.
 */
class BroadcasterIntegrationTests {

	@Nested
	@OnRedis(value = RedisTarget.STANDALONE, permanentKeys = true)
	class OnStandalone extends BroadcasterContract {

	}

	@Nested
	@Wide
	@OnRedis(value = RedisTarget.CLUSTER, permanentKeys = true)
	class OnCluster extends BroadcasterContract {

	}

	@Nested
	@Wide
	@OnRedis(value = RedisTarget.REDIS_6_2, permanentKeys = true)
	class OnRedis62 extends BroadcasterContract {

	}

}
