// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.web.lock;

import io.ge.redis.archfixtures.cache.CachePort;

class WebLockKnowsCache {

	CachePort dependency;

}
