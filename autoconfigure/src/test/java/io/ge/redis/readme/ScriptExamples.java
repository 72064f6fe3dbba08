// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import io.ge.redis.script.EntityScript;
import io.ge.redis.script.EntityScripts;

/**
 * The code of the page on entity scripts.
 */
class ScriptExamples {

	private final EntityScripts scripts;

	ScriptExamples(EntityScripts scripts) {
		this.scripts = scripts;
	}

	// @formatter:off
	private static final EntityScript<Boolean> SET_STATUS = EntityScript.of("agents/set-status.lua", Boolean.class,
			"status", "active", "changes");

	public boolean activate(String team, String agent) {
		return this.scripts.run(SET_STATUS, "teams", team, agent, "active");
	}

	boolean compareAndSet(String team, String expected, String plan) {
		EntityScript<Boolean> compareAndSet = EntityScript.of("agents/compare-and-set.lua", Boolean.class, "plan");
		boolean changed = this.scripts.run(compareAndSet, "teams", team, expected, plan);
		return changed;
	}

	long addSteps(String team, String operation, long steps) {
		EntityScript<Long> addSteps = EntityScript.of("agents/add-steps.lua", Long.class, "steps", "operations");
		long sum = this.scripts.run(addSteps, "teams", team, operation, steps);
		return sum;
	}
	// @formatter:on

}
