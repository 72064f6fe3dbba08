// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

import java.time.Instant;

class ReadsInstant {

	Object planted() {
		return Instant.now();
	}

}
