// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A change of a workspace: its fields, without their values.
 *
 * @param version the version of the workspace, and of the fields, after it
 * @param operation the id of the call
 * @param agent the author, or {@code null} if none was given
 * @param at the time of the change, by the clock of Redis
 * @param fields the kind of change of each field
 */
public record StateChange(long version, String operation, @Nullable String agent, Instant at,
		Map<String, Kind> fields) {

	/**
	 * The kinds of changes. {@code ADD} is a put where there was no field, {@code MOVE} a
	 * put from the memory of an agent.
	 */
	public enum Kind {

		PUT, ADD, APPEND, INCREMENT, REMOVE, MOVE

	}

}
