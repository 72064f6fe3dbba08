// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.util.function.Consumer;

import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.scenario.LockScenario;

/**
 * Plays scenarios, which pass, and fail where something is turned off.
 *
 * @param properties of all instances
 */
record LockFaultRuns(String... properties) {

	static FaultRun run(String fault, String promise) {
		return FaultRun.of("lock", fault, promise);
	}

	void passes(FaultRun run, Consumer<LockScenario> body) {
		try (LockScenario scenario = new LockScenario(run, LockFaultApplication.class).with(this.properties)) {
			body.accept(scenario);
		}
		run.verify();
	}

	void fails(Consumer<LockScenario> body, Sabotage... sabotage) throws Exception {
		run("sabotaged", "none").assertMissed((run) -> {
			try (LockScenario scenario = new LockScenario(run, LockFaultApplication.class, sabotage)
				.with(this.properties)) {
				body.accept(scenario);
			}
		});
	}

}
