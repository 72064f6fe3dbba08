// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

import java.time.Clock;

class ReadsClock {

	Object planted() {
		return Clock.systemUTC();
	}

}
