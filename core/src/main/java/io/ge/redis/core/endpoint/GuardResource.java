// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.endpoint;

import java.util.List;
import java.util.Map;
import java.util.Set;

import io.ge.redis.core.invocation.Setting;
import org.jspecify.annotations.Nullable;

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

	public final String name() {
		return this.name;
	}

	public final boolean isNamed(String other) {
		return this.name.equals(other) || this.aliases.contains(other);
	}

	/**
	 * Returns the uses of the pattern by rules for paths, one for each name of a rule.
	 */
	public List<PathRule> rules() {
		return List.of();
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

	/**
	 * A use of a pattern by a rule for paths.
	 *
	 * @param property the property that describes the rule
	 * @param path path patterns within the application
	 * @param methods HTTP methods, all if empty
	 * @param key the key expression, as it is written, or {@code null} if all requests
	 * are counted together
	 * @param name the name, such as of a limit
	 * @param settings its settings and the origin of each
	 * @param figures counts by outcome, on this instance since it started, of all uses of
	 * this name
	 */
	public record PathRule(String property, List<String> path, List<String> methods, @Nullable String key, String name,
			Map<String, Setting> settings, Map<String, Long> figures) {
	}

}
