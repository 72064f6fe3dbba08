/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.List;
import java.util.function.Consumer;

import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.scenario.LockScenario;

import static org.assertj.core.api.Assertions.assertThat;

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

	void fails(Consumer<LockScenario> body, Sabotage... sabotage) {
		assertThat(violations(body, sabotage)).isNotEmpty();
	}

	/**
	 * For what happens at random, and so does not meet what it is after each time.
	 */
	void failsInTheEnd(Consumer<LockScenario> body, Sabotage... sabotage) {
		List<?> violations = List.of();
		for (int i = 0; violations.isEmpty() && i < 5; i++) {
			violations = violations(body, sabotage);
		}
		assertThat(violations).isNotEmpty();
	}

	private List<?> violations(Consumer<LockScenario> body, Sabotage... sabotage) {
		FaultRun run = run("sabotaged", "none").once();
		try (LockScenario scenario = new LockScenario(run, LockFaultApplication.class, sabotage)
			.with(this.properties)) {
			body.accept(scenario);
		}
		return run.violations();
	}

}
