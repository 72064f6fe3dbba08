// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.cache;

import org.springframework.http.HttpStatus;

class CacheUsesHttp {

	HttpStatus dependency;

}
