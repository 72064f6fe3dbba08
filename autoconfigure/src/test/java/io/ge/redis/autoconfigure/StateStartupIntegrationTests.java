// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import io.ge.redis.state.StateProperties;
import io.ge.redis.state.Workspace;
import io.ge.redis.state.Workspaces;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Shared state in an application, from property to Redis.
 */
class StateStartupIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
				StructureAutoConfiguration.class))
		.withPropertyValues(SharedRedis.properties());

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void sharesStateAsConfigured() {
		this.runner.withPropertyValues("ge.redis.state.max-list-length=2").run((context) -> {
			Workspace workspace = context.getBean(Workspaces.class).open("session", "101");
			for (int i = 0; i < 3; i++) {
				workspace.append("history", i);
			}
			assertThat(workspace.snapshot().list("history", Integer.class)).containsExactly(1, 2);
			assertThat(context.getBean(StateProperties.class).maxListLength()).isEqualTo(2);
		});
	}

	@Test
	void backsOffToWorkspacesOfTheApplication() {
		Workspaces mine = Workspaces.unguarded();
		this.runner.withBean(Workspaces.class, () -> mine)
			.run((context) -> assertThat(context.getBean(Workspaces.class)).isSameAs(mine));
	}

	@Test
	void isAbsentWhereItIsSwitchedOff() {
		this.runner.withPropertyValues("ge.redis.state.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(StateProperties.class)
				.doesNotHaveBean(Workspaces.class));
	}

	@Test
	void refusesPropertiesThatCannotWork() {
		this.runner.withPropertyValues("ge.redis.state.changes-kept=0")
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.hasMessageContaining("ge.redis.state.changes-kept must be at least 1"));
	}

}
