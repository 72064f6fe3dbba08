// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.lock;

import io.ge.redis.archfixtures.cache.CachePort;

class LockKnowsCache {

	CachePort dependency;

}
