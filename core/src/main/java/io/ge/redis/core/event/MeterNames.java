// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.event;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Names as values of tags. Code may make names at run time, so only the first
 * {@value #MOST} of each pattern are values of their own; all others share one.
 */
public final class MeterNames {

	public static final int MOST = 1000;

	public static final String OTHER = "other";

	private static final Log logger = LogFactory.getLog(MeterNames.class);

	private final Map<String, Set<String>> names = new ConcurrentHashMap<>();

	private final Set<String> full = ConcurrentHashMap.newKeySet();

	public String of(String pattern, String name) {
		return isOwn(pattern, name) ? name : OTHER;
	}

	/**
	 * Returns whether a name is a value of its own.
	 * @param pattern the pattern as in its events, such as {@code ratelimit}
	 */
	public boolean isOwn(String pattern, String name) {
		Set<String> known = this.names.computeIfAbsent(pattern, (first) -> ConcurrentHashMap.newKeySet());
		if (known.contains(name)) {
			return true;
		}
		// Calls at once may add a few more
		if (known.size() < MOST) {
			known.add(name);
			return true;
		}
		if (this.full.add(pattern)) {
			logger.warn("The pattern " + pattern + " has more than " + MOST + " names, such as '" + name
					+ "'. Meters count all further ones as '" + OTHER
					+ "'. Use few names, and distinguish entities by keys.");
		}
		return false;
	}

}
