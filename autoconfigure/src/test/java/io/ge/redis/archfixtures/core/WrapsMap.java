// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

class WrapsMap {

	final Map<String, String> planted = Collections.synchronizedMap(new HashMap<>());

}
