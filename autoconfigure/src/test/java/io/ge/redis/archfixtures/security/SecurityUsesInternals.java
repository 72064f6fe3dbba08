// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.security;

import io.ge.redis.archfixtures.lock.internal.LockDecider;

public class SecurityUsesInternals {

	public LockDecider decider() {
		return new LockDecider();
	}

}
