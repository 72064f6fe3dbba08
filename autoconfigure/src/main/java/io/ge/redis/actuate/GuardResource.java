/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.actuate;

import java.util.Set;

/**
 * The part of one pattern in the endpoint: {@code /actuator/geredis/<name>} and the paths
 * below it. A bean of this type is all that a pattern needs.
 * <p>
 * An operation returns the body of the answer, a record or a map, which Spring Boot's
 * mapper for endpoints writes as JSON. It reports a mistake of the caller by a
 * {@link GuardRequestException}. During an outage of Redis the answer is 503.
 */
public interface GuardResource {

	/**
	 * Returns the first segment of the path. For a pattern it is spelled as in its
	 * properties: {@code rate-limit} for {@code ge.redis.rate-limit}.
	 */
	String name();

	/**
	 * Returns other spellings of the name. The same paths exist below each of them.
	 */
	default Set<String> aliases() {
		return Set.of();
	}

	/**
	 * Reads, and changes nothing.
	 */
	Object read(GuardRequest request);

	/**
	 * Changes something. Called only where the endpoint may be written to.
	 */
	default Object write(GuardRequest request) {
		throw GuardRequestException.notSupported("POST", name());
	}

	/**
	 * Removes something. Called only where the endpoint may be written to.
	 */
	default Object delete(GuardRequest request) {
		throw GuardRequestException.notSupported("DELETE", name());
	}

}
