// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

class SynchronizedMethod {

	synchronized void planted() {
	}

}
