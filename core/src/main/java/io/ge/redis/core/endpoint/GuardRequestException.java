// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.endpoint;

import java.util.Collection;

import io.ge.redis.GeRedisException;
import org.jspecify.annotations.Nullable;

/**
 * A request to the endpoint cannot be answered as it is.
 */
public class GuardRequestException extends GeRedisException {

	private static final long serialVersionUID = 1L;

	private static final int BAD_REQUEST = 400;

	private static final int NOT_FOUND = 404;

	private static final int METHOD_NOT_ALLOWED = 405;

	private final int status;

	private final @Nullable String parameter;

	private GuardRequestException(int status, @Nullable String parameter, String message) {
		super(message);
		this.status = status;
		this.parameter = parameter;
	}

	public static GuardRequestException invalid(String parameter, String problem, String remedy) {
		return new GuardRequestException(BAD_REQUEST, parameter, problem + " " + remedy);
	}

	public static GuardRequestException notFound(String problem, String remedy) {
		return new GuardRequestException(NOT_FOUND, null, problem + " " + remedy);
	}

	/**
	 * Refuses a name in the path.
	 * @param known the names that there are
	 */
	public static GuardRequestException unknown(String problem, Collection<String> known) {
		return notFound(problem, "There is: " + String.join(", ", known) + ".");
	}

	static GuardRequestException notSupported(String method, String resource) {
		return new GuardRequestException(METHOD_NOT_ALLOWED, null,
				method + " is not supported by '" + resource + "'. Use GET.");
	}

	public int status() {
		return this.status;
	}

	public @Nullable String parameter() {
		return this.parameter;
	}

}
