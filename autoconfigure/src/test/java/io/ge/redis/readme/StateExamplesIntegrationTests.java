// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.StructureAutoConfiguration;
import io.ge.redis.readme.StateExamples.Entry;
import io.ge.redis.readme.StateExamples.Plan;
import io.ge.redis.state.WorkspaceSnapshot;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the code of the page on workspaces, without any property.
 */
class StateExamplesIntegrationTests {

	@Test
	void allOfItIsThereInTheEnd() {
		SharedRedis.standalone().flushAll();
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, DataRedisAutoConfiguration.class,
					GeRedisAutoConfiguration.class, StructureAutoConfiguration.class))
			.withPropertyValues(SharedRedis.properties())
			.withPropertyValues("ge.redis.outage.command-timeout=5s")
			.withBean(StateExamples.class)
			.run((context) -> {
				StateExamples examples = context.getBean(StateExamples.class);
				assertThat(examples.work()).containsExactly(new Entry("A", "found it"));
				WorkspaceSnapshot now = examples.look();
				assertThat(now.version()).isEqualTo(4);
				assertThat(now.get("plan", Plan.class)).isEqualTo(new Plan("search", 2));
				assertThat(now.get("tokens", Long.class)).isEqualTo(42);
			});
	}

}
