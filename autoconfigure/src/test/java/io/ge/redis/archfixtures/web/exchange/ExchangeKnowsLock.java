// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.web.exchange;

import io.ge.redis.archfixtures.lock.LockPort;

class ExchangeKnowsLock {

	LockPort dependency;

}
