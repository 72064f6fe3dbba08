// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

class SynchronizedBlock {

	void planted() {
		synchronized (this) {
			hashCode();
		}
	}

}
