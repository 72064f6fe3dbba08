// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core;

import java.util.Hashtable;
import java.util.Map;

class HoldsHashtable {

	final Map<String, String> planted = new Hashtable<>();

}
