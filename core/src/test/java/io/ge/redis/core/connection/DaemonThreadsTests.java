// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.net.URL;
import java.net.URLClassLoader;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DaemonThreads}.
 */
class DaemonThreadsTests {

	@Test
	void threadIsNamedAndEndsWithTheJvm() {
		Thread thread = DaemonThreads.named("guard").newThread(() -> {
		});
		assertThat(thread.getName()).isEqualTo("guard");
		assertThat(thread.isDaemon()).isTrue();
	}

	@Test
	void threadDoesNotInheritClassLoaderOfItsMaker() throws Exception {
		Thread maker = Thread.currentThread();
		ClassLoader before = maker.getContextClassLoader();
		try (URLClassLoader request = new URLClassLoader(new URL[0], before)) {
			maker.setContextClassLoader(request);
			Thread thread = DaemonThreads.named("guard").newThread(() -> {
			});
			assertThat(thread.getContextClassLoader()).isSameAs(DaemonThreads.class.getClassLoader());
		}
		finally {
			maker.setContextClassLoader(before);
		}
	}

}
