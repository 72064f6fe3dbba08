// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

import java.time.Instant;
import java.util.function.Supplier;

class RefersToInstant {

	Object planted() {
		return (Supplier<Instant>) Instant::now;
	}

}
