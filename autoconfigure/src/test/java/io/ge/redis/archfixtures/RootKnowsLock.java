// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures;

import io.ge.redis.archfixtures.lock.LockPort;

class RootKnowsLock {

	LockPort dependency;

}
