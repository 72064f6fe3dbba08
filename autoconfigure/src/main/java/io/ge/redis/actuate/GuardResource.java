/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.actuate;

/**
 * The part of one pattern in the endpoint: {@code /actuator/geredis/<name>} and the paths
 * below it. A bean of this type is all that a pattern needs.
 * <p>
 * An operation returns the body of the answer, a record or a map, which Spring Boot's
 * mapper for endpoints writes as JSON. A mistake of the caller is a
 * {@link GuardRequestException}. During an outage of Redis the answer is 503.
 */
public interface GuardResource {

	/**
	 * Returns the first segment of the path.
	 */
	String name();

	/**
	 * Looks, and changes nothing.
	 */
	Object read(GuardRequest request);

	/**
	 * Acts. Only called where the endpoint may be written to.
	 */
	default Object write(GuardRequest request) {
		throw GuardRequestException.notSupported("POST", name());
	}

	/**
	 * Takes something back or away. Only called where the endpoint may be written to.
	 */
	default Object delete(GuardRequest request) {
		throw GuardRequestException.notSupported("DELETE", name());
	}

}
