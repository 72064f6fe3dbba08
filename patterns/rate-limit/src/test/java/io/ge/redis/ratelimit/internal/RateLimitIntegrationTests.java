// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Nested;

class RateLimitIntegrationTests {

	@Nested
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends RateLimitContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.SENTINEL)
	class OnSentinel extends RateLimitContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.CLUSTER)
	class OnCluster extends RateLimitContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.REDIS_7_4)
	class OnRedis74 extends RateLimitContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.REDIS_8)
	class OnRedis8 extends RateLimitContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.VALKEY_8)
	class OnValkey8 extends RateLimitContract {

	}

}
