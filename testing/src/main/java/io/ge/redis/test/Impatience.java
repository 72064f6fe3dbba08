// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets tests see at once what they await, where they do not say how often to look. By
 * default a condition would be looked at after a tenth of a second, although most of them
 * hold after a few milliseconds.
 */
public class Impatience implements BeforeAllCallback {

	private static final Duration INTERVAL = Duration.ofMillis(10);

	@Override
	public void beforeAll(ExtensionContext context) {
		Awaitility.setDefaultPollDelay(Duration.ZERO);
		Awaitility.setDefaultPollInterval(INTERVAL);
	}

}
