// SPDX-License-Identifier: Apache-2.0

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
public abstract class GuardResource {

	private final String name;

	private final Set<String> aliases;

	/**
	 * Creates a resource.
	 * @param name the first segment of the path. For a pattern it is spelled as in its
	 * properties: {@code rate-limit} for {@code ge.redis.rate-limit}
	 * @param aliases other spellings of the name. The same paths exist below each of them
	 */
	protected GuardResource(String name, String... aliases) {
		this.name = name;
		this.aliases = Set.of(aliases);
	}

	String name() {
		return this.name;
	}

	boolean isNamed(String other) {
		return this.name.equals(other) || this.aliases.contains(other);
	}

	/**
	 * Reads, and changes nothing.
	 */
	public abstract Object read(GuardRequest request);

	/**
	 * Changes something. Called only where the endpoint may be written to.
	 */
	public Object write(GuardRequest request) {
		throw GuardRequestException.notSupported("POST", this.name);
	}

	/**
	 * Removes something. Called only where the endpoint may be written to.
	 */
	public Object delete(GuardRequest request) {
		throw GuardRequestException.notSupported("DELETE", this.name);
	}

}
