// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.script;

import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Nested;

/**
 * The promises of entity scripts, on each kind of Redis.
 */
class EntityScriptsIntegrationTests {

	@Nested
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends EntityScriptsContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.CLUSTER)
	class OnCluster extends EntityScriptsContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.REDIS_6_2)
	class OnRedis62 extends EntityScriptsContract {

	}

}
