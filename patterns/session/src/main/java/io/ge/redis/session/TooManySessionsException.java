// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.session;

import io.ge.redis.GeRedisException;
import io.ge.redis.Refusal;

/**
 * A login would exceed {@code ge.redis.session.max-per-principal} while
 * {@code ge.redis.session.on-too-many} is {@code refuse}. Nothing of the request was
 * saved. Over HTTP a 409.
 */
public class TooManySessionsException extends GeRedisException {

	/** Creates the exception of a login. */
	public TooManySessionsException(int most) {
		super("The principal has " + most + " sessions, the most that ge.redis.session.max-per-principal allows."
				+ " Log out elsewhere first, or set ge.redis.session.on-too-many=end-oldest", false);
	}

	@Override
	public Refusal refusal() {
		return Refusal.of(409, "too-many-sessions", "Too many sessions",
				"You are logged in too often. Log out elsewhere first.");
	}

}
