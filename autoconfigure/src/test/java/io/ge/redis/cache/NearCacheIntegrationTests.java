// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import io.ge.redis.cache.internal.engine.NearCache;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Nested;

/**
 * Tests for {@link NearCache} on real servers.
 */
class NearCacheIntegrationTests {

	@Nested
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends NearCacheContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.SENTINEL)
	class OnSentinel extends NearCacheContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.CLUSTER)
	class OnCluster extends NearCacheContract {

	}

}
