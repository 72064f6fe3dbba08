// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.List;

import io.ge.redis.session.Sessions;

/**
 * The code of the page on sessions.
 */
class SessionExamples {

	private final Sessions sessions;

	SessionExamples(Sessions sessions) {
		this.sessions = sessions;
	}

	// @formatter:off
	public String logOut() {
		List<Sessions.Info> mine = this.sessions.list("alice");
		int ended = this.sessions.endAll("alice");
		return ended + " of " + mine.size();
	}
	// @formatter:on

}
