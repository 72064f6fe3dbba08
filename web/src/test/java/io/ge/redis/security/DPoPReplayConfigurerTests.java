// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.blacklist.UsedIds;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.web.SecurityFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DPoPReplayValidator.Chains} with an older Spring Security.
 */
@ExtendWith(OutputCaptureExtension.class)
class DPoPReplayConfigurerTests {

	private static final String WARNING = "Each instance checks DPoP proofs for itself";

	/**
	 * The use may be known only after the chain is built.
	 */
	@ParameterizedTest
	@CsvSource({ "false, true, true", "false, false, false", "true, true, false" })
	void warnsOnceTheUseIsKnown(boolean configurable, boolean used, boolean warned, CapturedOutput output) {
		AtomicReference<DPoPReplayValidator> replays = new AtomicReference<>();
		new WebApplicationContextRunner().withUserConfiguration(Application.class)
			.withBean(DPoPReplayValidator.Chains.class,
					() -> new DPoPReplayValidator.Chains(replays::get, configurable))
			.withBean("replays", AtomicReference.class, () -> replays)
			.withPropertyValues("used=" + used)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output.toString().contains(WARNING)).isEqualTo(warned);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebSecurity
	static class Application {

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http.oauth2ResourceServer((server) -> server.jwt((jwt) -> jwt.decoder((token) -> {
				throw new JwtException("not decoded");
			}))).build();
		}

		@Bean
		@DependsOn("security")
		Runnable use(AtomicReference<DPoPReplayValidator> replays, @Value("${used}") boolean used) {
			if (used) {
				replays.set(new DPoPReplayValidator(UsedIds::unguarded, Duration.ofSeconds(60)));
			}
			return () -> {
			};
		}

	}

}
