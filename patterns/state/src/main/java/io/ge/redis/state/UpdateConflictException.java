// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

import io.ge.redis.GeRedisException;
import io.ge.redis.Refusal;

/**
 * Others have changed a field before each attempt to update it, so nothing was written.
 * Over HTTP a 503 with {@code Retry-After}.
 */
public class UpdateConflictException extends GeRedisException {

	UpdateConflictException(String workspace, String field, int attempts) {
		super("Field '" + field + "' of " + workspace + " was changed by others during each of " + attempts
				+ " attempts. Append or increment where possible, split the field, or raise"
				+ " ge.redis.state.update-attempts", false);
	}

	@Override
	public Refusal refusal() {
		return Refusal.temporary("Others have changed it at the same time. Nothing was changed. Please try again.");
	}

}
