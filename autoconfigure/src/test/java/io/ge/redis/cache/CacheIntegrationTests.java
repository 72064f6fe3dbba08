// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Nested;

/**
 * Runs {@link CacheContract} on each kind of Redis.
 */
class CacheIntegrationTests {

	@Nested
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends CacheContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.SENTINEL)
	class OnSentinel extends CacheContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.CLUSTER)
	class OnCluster extends CacheContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.REDIS_7_4)
	class OnRedis74 extends CacheContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.REDIS_8)
	class OnRedis8 extends CacheContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.VALKEY_8)
	class OnValkey8 extends CacheContract {

	}

}
