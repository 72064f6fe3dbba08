// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.web.session;

import io.ge.redis.archfixtures.cache.CachePort;

class WebSessionKnowsCache {

	CachePort dependency;

}
