// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

import java.util.Map;
import java.util.function.Supplier;

class MergesCallback {

	String planted(Map<String, String> values, Supplier<String> callback) {
		return values.merge("key", "value", (one, other) -> callback.get());
	}

}
