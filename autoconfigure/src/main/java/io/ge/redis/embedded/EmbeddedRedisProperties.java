// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.embedded;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Properties of the embedded Redis.
 *
 * @param enabled Whether to start a Redis for development if none is configured.
 * @param port Port of the Redis for development, 0 for a free one.
 */
@ConfigurationProperties("ge.redis.embedded")
record EmbeddedRedisProperties(@DefaultValue("true") boolean enabled, @DefaultValue("0") int port) {

	private static final int HIGHEST_PORT = 65_535;

	EmbeddedRedisProperties {
		Assert.isTrue(port >= 0 && port <= HIGHEST_PORT,
				() -> "'port' must be between 0 and " + HIGHEST_PORT + " but is " + port);
	}

}
