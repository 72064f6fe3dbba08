// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.web.limit;

import io.ge.redis.archfixtures.lock.LockPort;

class LimitKnowsLock {

	LockPort dependency;

}
