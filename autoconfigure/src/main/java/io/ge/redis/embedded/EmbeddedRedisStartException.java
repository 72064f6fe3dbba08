// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.embedded;

import io.ge.redis.GeRedisException;
import org.jspecify.annotations.Nullable;

/**
 * The embedded Redis could not be started. The message says why, with the server's log
 * where there is one; {@link #getRemedy()} says what to do.
 */
public class EmbeddedRedisStartException extends GeRedisException {

	private final Reason reason;

	EmbeddedRedisStartException(Reason reason, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.reason = reason;
	}

	Reason reason() {
		return this.reason;
	}

	/**
	 * Returns the remedy.
	 * @return one or two sentences
	 */
	public String getRemedy() {
		return this.reason.remedy;
	}

	enum Reason {

		UNSUPPORTED_PLATFORM(""),

		NOT_EXECUTABLE("Set the system property 'java.io.tmpdir' to a directory from which programs may be run. "),

		PORT_IN_USE("Set 'ge.redis.embedded.port' to another port, or to 0 for a free one. "),

		OTHER("");

		private final String remedy;

		Reason(String remedy) {
			this.remedy = remedy + "To use another Redis, set 'spring.data.redis.host' or 'spring.data.redis.url'; "
					+ "to do without, set 'ge.redis.embedded.enabled' to false.";
		}

	}

}
