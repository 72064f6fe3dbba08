// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

import java.util.Locale;

import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The state of a job.
 *
 * @param id the id
 * @param state the state
 * @param attempts how often it has begun, also on instances that died
 * @param result the result of its listener if it is done, {@code null} if there is none
 * @param problem why it has failed, or {@code null} if it has not
 */
public record JobStatus(String id, State state, int attempts, @Nullable JsonNode result, @Nullable String problem) {

	/**
	 * The states of a job. {@code QUEUED} includes delays and waits for another attempt;
	 * {@code FAILED} is a dead letter; {@code UNKNOWN} is also a result that is not kept
	 * any more.
	 */
	public enum State {

		QUEUED, RUNNING, DONE, FAILED, CANCELLED, UNKNOWN;

		/**
		 * Returns the state in lower case, as in JSON.
		 */
		@JsonValue
		public String text() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
