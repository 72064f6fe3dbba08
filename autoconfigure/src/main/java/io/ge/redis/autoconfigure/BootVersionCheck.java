// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import io.ge.redis.GuardConfigurationException;

import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Refuses an older Spring Boot, before it fails on classes that it does not have.
 */
class BootVersionCheck implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	private static final int OLDEST = 4;

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		check(SpringBootVersion.getVersion());
	}

	static void check(String version) {
		if (Integer.parseInt(version.split("\\.")[0]) < OLDEST) {
			throw new GuardConfigurationException("GE Redis", "it does not run on Spring Boot " + version + ".",
					"Use Spring Boot 4, or remove ge-redis-spring-boot-starter.");
		}
	}

}
