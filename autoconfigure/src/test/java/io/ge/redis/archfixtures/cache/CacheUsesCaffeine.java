// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.cache;

import com.github.benmanes.caffeine.cache.Cache;

class CacheUsesCaffeine {

	Cache<String, String> dependency;

}
