// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core;

import io.ge.redis.core.consume.Consumers;
import io.ge.redis.core.guard.PatternLifecycle;
import org.junit.jupiter.api.Test;

import org.springframework.boot.web.server.context.WebServerGracefulShutdownLifecycle;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The order of "Shutdown" in {@code docs/deployment.md}: higher phases stop first.
 */
class ShutdownOrderTests {

	@Test
	void consumersStopBeforeTheServerAndConnectionsLast() {
		assertThat(new int[] { RedisBackends.PHASE, PatternLifecycle.PHASE, ExecutorConfigurationSupport.DEFAULT_PHASE,
				WebServerGracefulShutdownLifecycle.SMART_LIFECYCLE_PHASE, Consumers.PHASE })
			.isSorted();
	}

}
