// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

class LowersCase {

	String planted(String text) {
		return text.toLowerCase();
	}

}
