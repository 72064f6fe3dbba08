// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.session.internal;

import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.Sized;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Nested;

/**
 * The promises of sessions, on each kind of Redis.
 */
class RedisSessionsIntegrationTests {

	@Nested
	@Sized
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends RedisSessionsContract {

		@Override
		protected int races() {
			return Wide.RUN ? 10_000 : 1_000;
		}

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.CLUSTER)
	class OnCluster extends RedisSessionsContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.REDIS_6_2)
	class OnRedis62 extends RedisSessionsContract {

	}

}
