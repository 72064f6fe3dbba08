// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.util.Map;

/**
 * One guard on one method, as an operator sees it.
 *
 * @param settings the effective settings and where each came from, by name
 */
public record GuardDescription(String pattern, String annotation, String name, Map<String, Setting> settings) {

	public GuardDescription {
		settings = Map.copyOf(settings);
	}

}
