// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.lock;

import io.ge.redis.archfixtures.lock.internal.LockDecider;

public class LockMentionsInternals {

	public LockDecider decider() {
		return new LockDecider();
	}

}
