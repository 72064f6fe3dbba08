// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

import io.lettuce.core.RedisClient;

class InitialisesOverRedis {

	static final RedisClient PLANTED = RedisClient.create();

}
