// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.geo;

import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Nested;

/**
 * The promises of geo indexes, on each kind of Redis.
 */
class GeoIndexesIntegrationTests {

	@Nested
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends GeoIndexesContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.CLUSTER)
	class OnCluster extends GeoIndexesContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.REDIS_6_2)
	class OnRedis62 extends GeoIndexesContract {

	}

}
