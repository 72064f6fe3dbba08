// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import io.ge.redis.GuardConfigurationException;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application on Spring Boot 3 reads a sentence, not the name of a missing class.
 */
class BootVersionCheckTests {

	@Test
	void refusesAnOlderVersion() {
		assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> BootVersionCheck.check("3.5.7"))
			.withMessage("GE Redis: it does not run on Spring Boot 3.5.7."
					+ " Use Spring Boot 4, or remove ge-redis-spring-boot-starter.");
		BootVersionCheck.check(SpringBootVersion.getVersion());
		BootVersionCheck.check("10.0.0-SNAPSHOT");
	}

	@Test
	void runsBeforeTheContextIsRefreshed() {
		assertThat(SpringFactoriesLoader.forDefaultResourceLocation().load(ApplicationContextInitializer.class))
			.hasAtLeastOneElementOfType(BootVersionCheck.class);
	}

}
