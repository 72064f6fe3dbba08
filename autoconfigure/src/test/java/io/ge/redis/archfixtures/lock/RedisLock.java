// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.lock;

import io.ge.redis.archfixtures.core.key.Key;
import io.ge.redis.archfixtures.core.script.Script;

class RedisLock {

	Script script;

	static class Part {

		Key key;

	}

}
