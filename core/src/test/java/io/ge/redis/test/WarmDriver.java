// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets the first tests of a JVM find a driver that is loaded. To load it takes seconds on
 * a machine that has much else to do: longer than anybody waits for a connection, so that
 * whoever came first would find an outage.
 */
public class WarmDriver implements BeforeAllCallback {

	private static boolean loaded;

	@Override
	public void beforeAll(ExtensionContext context) {
		if (context.getRequiredTestClass().getName().contains("IntegrationTests")) {
			load();
		}
	}

	private static synchronized void load() {
		if (loaded) {
			return;
		}
		try (TestBackend backend = TestBackend.on(SharedRedis.standalone())) {
			Awaitility.await("first connection")
				.atMost(Duration.ofMinutes(1))
				.until(() -> !backend.get().breaker().isOpen() && backend.get().bus().isSubscribed());
		}
		loaded = true;
	}

}
