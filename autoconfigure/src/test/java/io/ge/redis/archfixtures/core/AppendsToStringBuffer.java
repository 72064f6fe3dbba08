// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

class AppendsToStringBuffer {

	Object planted() {
		return new StringBuffer().append(1);
	}

}
