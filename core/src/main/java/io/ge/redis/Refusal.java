// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a call that a guard has refused, for protocols such as HTTP: a status and
 * the members of a problem (RFC 9457). Immutable.
 *
 * @param status the HTTP status
 * @param type the type of the problem
 * @param title a summary, the same for all problems of the type
 * @param detail an explanation, without keys and tokens
 * @param members further members of the problem by name
 * @param headers further headers by name
 * @param retryAfter when it makes sense to try again, or {@code null} if that is unknown
 */
public record Refusal(int status, URI type, String title, String detail, Map<String, Object> members,
		Map<String, String> headers, @Nullable Duration retryAfter) {

	/** Prefix of the project's own problem types. */
	private static final String OWN_TYPES = "urn:ge-redis:problem:";

	private static final String IANA_TYPES = "https://iana.org/assignments/http-problem-types#";

	private static final Duration SOON = Duration.ofSeconds(1);

	/**
	 * Creates a refusal with a problem type of this project,
	 * {@code urn:ge-redis:problem:<type>}.
	 * @param status the HTTP status
	 * @param type the last segment of the type
	 * @param title the title
	 * @param detail the explanation
	 * @return the refusal
	 */
	public static Refusal of(int status, String type, String title, String detail) {
		return new Refusal(status, URI.create(OWN_TYPES + type), title, detail, Map.of(), Map.of(), null);
	}

	/**
	 * Creates a refusal with a problem type that is registered with the IANA.
	 * @param status the HTTP status
	 * @param type the fragment that names the type
	 * @param title the title
	 * @param detail the explanation
	 * @return the refusal
	 */
	public static Refusal registered(int status, String type, String title, String detail) {
		return new Refusal(status, URI.create(IANA_TYPES + type), title, detail, Map.of(), Map.of(), null);
	}

	/**
	 * Creates a refusal with status 503, to be tried again in a second.
	 * @param detail the explanation
	 * @return the refusal
	 */
	public static Refusal temporary(String detail) {
		return registered(503, "temporary-reduced-capacity",
				"Request cannot be satisfied due to temporary server capacity constraints", detail)
			.withRetryAfter(SOON);
	}

	/**
	 * Returns this refusal with another status.
	 * @param status the HTTP status
	 * @return the refusal
	 */
	public Refusal withStatus(int status) {
		return new Refusal(status, this.type, this.title, this.detail, this.members, this.headers, this.retryAfter);
	}

	/**
	 * Returns this refusal with a further member of the problem.
	 * @param name the name
	 * @param value the value, written as JSON
	 * @return the refusal
	 */
	public Refusal withMember(String name, Object value) {
		return new Refusal(this.status, this.type, this.title, this.detail, with(this.members, name, value),
				this.headers, this.retryAfter);
	}

	/**
	 * Returns this refusal with a further header.
	 * @param name the name
	 * @param value the value
	 * @return the refusal
	 */
	public Refusal withHeader(String name, String value) {
		return new Refusal(this.status, this.type, this.title, this.detail, this.members,
				with(this.headers, name, value), this.retryAfter);
	}

	/**
	 * Returns this refusal with the time after which it makes sense to try again.
	 * @param retryAfter the time, or {@code null} if it is unknown. Over HTTP whole
	 * seconds, rounded up, at least one
	 * @return the refusal
	 */
	public Refusal withRetryAfter(@Nullable Duration retryAfter) {
		return new Refusal(this.status, this.type, this.title, this.detail, this.members, this.headers, retryAfter);
	}

	private static <V> Map<String, V> with(Map<String, V> all, String name, V value) {
		Map<String, V> more = new LinkedHashMap<>(all);
		more.put(name, value);
		return more;
	}

}
