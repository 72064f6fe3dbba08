// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Nested;

class IdempotencyIntegrationTests {

	@Nested
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends IdempotencyContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.SENTINEL)
	class OnSentinel extends IdempotencyContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.CLUSTER)
	class OnCluster extends IdempotencyContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.REDIS_7_4)
	class OnRedis74 extends IdempotencyContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.REDIS_8)
	class OnRedis8 extends IdempotencyContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.VALKEY_8)
	class OnValkey8 extends IdempotencyContract {

	}

}
