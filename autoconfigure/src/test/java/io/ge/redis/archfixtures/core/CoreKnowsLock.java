// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

import io.ge.redis.archfixtures.lock.LockPort;

class CoreKnowsLock {

	LockPort dependency;

}
