// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.web;

import io.ge.redis.archfixtures.lock.internal.LockDecider;

public class WebUsesInternals {

	public LockDecider decider() {
		return new LockDecider();
	}

}
