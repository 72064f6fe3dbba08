// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.embedded;

import io.ge.redis.embedded.EmbeddedRedisStartException.Reason;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link EmbeddedRedisFailureAnalyzer}.
 */
class EmbeddedRedisFailureAnalyzerTests {

	private static final String ALTERNATIVES = "To use another Redis, set 'spring.data.redis.host' or "
			+ "'spring.data.redis.url'; to do without, set 'ge.redis.embedded.enabled' to false.";

	@Test
	void namesPortPropertyIfPortIsInUse() {
		FailureAnalysis analysis = analyze(Reason.PORT_IN_USE, "Port 6379 of the embedded Redis is in use");
		assertThat(analysis.getDescription()).isEqualTo("Port 6379 of the embedded Redis is in use");
		assertThat(analysis.getAction())
			.isEqualTo("Set 'ge.redis.embedded.port' to another port, or to 0 for a free one. " + ALTERNATIVES);
	}

	@Test
	void namesTemporaryDirectoryIfBinaryCannotBeExecuted() {
		assertThat(analyze(Reason.NOT_EXECUTABLE, "No").getAction())
			.isEqualTo("Set the system property 'java.io.tmpdir' to a directory from which programs may be run. "
					+ ALTERNATIVES);
	}

	@Test
	void namesAlternativesIfPlatformHasNoBinary() {
		assertThat(analyze(Reason.UNSUPPORTED_PLATFORM, "No").getAction()).isEqualTo(ALTERNATIVES);
	}

	@Test
	void isRegistered() {
		FailureHandler ignoreOthers = FailureHandler.handleMessage((message, failure) -> {
		});
		assertThat(SpringFactoriesLoader.forDefaultResourceLocation().load(FailureAnalyzer.class, ignoreOthers))
			.hasAtLeastOneElementOfType(EmbeddedRedisFailureAnalyzer.class);
	}

	private static FailureAnalysis analyze(Reason reason, String message) {
		return new EmbeddedRedisFailureAnalyzer().analyze(new BeanCreationException("geRedisEmbeddedServer",
				new EmbeddedRedisStartException(reason, message, null)));
	}

}
