// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

import java.util.Map;
import java.util.function.Function;

class ComputesUnknownFunction {

	String planted(Map<String, String> values, Function<String, String> loader) {
		return values.computeIfAbsent("key", loader);
	}

}
