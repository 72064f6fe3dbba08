// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.List;

import io.ge.redis.state.Workspace;
import io.ge.redis.state.WorkspaceSnapshot;
import io.ge.redis.state.Workspaces;

/**
 * The code of the page on workspaces.
 */
class StateExamples {

	private final Workspaces workspaces;

	StateExamples(Workspaces workspaces) {
		this.workspaces = workspaces;
	}

	// @formatter:off
	List<Entry> work() {
		Workspace session = this.workspaces.open("session", "101");
		session.by("A").append("history", new Entry("A", "found it"));
		session.put("plan", new Plan("search", 3));
		session.increment("tokens", 42);
		session.update("plan", Plan.class, (plan) -> plan.next());
		WorkspaceSnapshot now = session.snapshot();
		List<Entry> history = now.list("history", Entry.class);
		return history;
	}
	// @formatter:on

	WorkspaceSnapshot look() {
		return this.workspaces.open("session", "101").snapshot();
	}

	/** Something an agent says. */
	record Entry(String agent, String text) {
	}

	/** What is to be done. */
	record Plan(String goal, int steps) {

		Plan next() {
			return new Plan(this.goal, this.steps - 1);
		}

	}

}
