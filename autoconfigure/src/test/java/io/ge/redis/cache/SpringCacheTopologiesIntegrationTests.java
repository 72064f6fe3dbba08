// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Nested;

/**
 * Runs {@link SpringCacheContract} on each kind of Redis.
 */
class SpringCacheTopologiesIntegrationTests {

	@Nested
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends SpringCacheContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.SENTINEL)
	class OnSentinel extends SpringCacheContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.CLUSTER)
	class OnCluster extends SpringCacheContract {

	}

}
