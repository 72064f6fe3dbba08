// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.List;

import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.junit.jupiter.SpringExtension;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code of the pages on the order of guards and on idempotency does what they say.
 */
@Wide
@ExtendWith(SpringExtension.class)
@DirtiesContext
@SpringBootTest(properties = "spring.datasource.url=jdbc:h2:mem:readme")
@AutoConfigureMockMvc
class ReadmeExamplesIntegrationTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private AgentRunner runner;

	@DynamicPropertySource
	static void redis(DynamicPropertyRegistry registry) {
		for (String property : SharedRedis.properties()) {
			int equals = property.indexOf('=');
			registry.add(property.substring(0, equals), () -> property.substring(equals + 1));
		}
	}

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void tokensOfRunsRise() {
		this.runner.run("agent", 0);
		this.runner.run("agent", 0);
		List<Long> tokens = this.runner.tokens();
		assertThat(tokens).isSorted().doesNotHaveDuplicates().doesNotContain(0L);
	}

	@Test
	void repeatedSaleIsReplayed() {
		MvcTestResult first = sell();
		MvcTestResult second = sell();
		assertThat(first).hasStatus(HttpStatus.CREATED);
		assertThat(second).hasStatus(HttpStatus.CREATED).hasHeader("Idempotent-Replayed", "true");
		assertThat(second.getResponse().getContentAsByteArray()).isEqualTo(first.getResponse().getContentAsByteArray());
	}

	private MvcTestResult sell() {
		return this.mvc.post()
			.uri("/api/positions/p-1/sell")
			.header("Idempotency-Key", "\"key-1\"")
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"quantity\":3}")
			.exchange();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ AgentRunner.class, SaleController.class })
	static class Application {

		@Bean
		SecurityFilterChain open(HttpSecurity http) {
			return http.csrf((csrf) -> csrf.disable())
				.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.build();
		}

	}

}
