// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme.quotes;

import java.nio.charset.StandardCharsets;

import io.ge.redis.test.PageSettings;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The application of the README, with the yml of the README, does what the README says.
 */
@ExtendWith(OutputCaptureExtension.class)
@SpringBootTest(properties = { "ge.redis.outage.command-timeout=5s",
		"management.endpoints.web.exposure.include=geredis", "spring.datasource.url=jdbc:h2:mem:quotes" })
@AutoConfigureMockMvc
@DirtiesContext
@ContextConfiguration(initializers = QuoteApplicationIntegrationTests.ReadmeSettings.class)
class QuoteApplicationIntegrationTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private PriceImport priceImport;

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
	void eleventhQuoteOfSymbolIsRefusedAndSeenInEndpoint() {
		for (int i = 0; i < 10; i++) {
			assertThat(get("/quotes/BTC")).hasStatusOk();
		}
		assertThat(get("/quotes/ETH")).hasStatusOk();
		MvcTestResult refused = get("/quotes/BTC");
		assertThat(refused).hasStatus(HttpStatus.TOO_MANY_REQUESTS)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
			.hasHeader("RateLimit-Policy", "\"quotes\";q=10;w=60");
		assertThat(refused).headers().containsHeaders("RateLimit", "Retry-After");
		assertThat(refused).bodyJson()
			.extractingPath("$.type")
			.isEqualTo("https://iana.org/assignments/http-problem-types#quota-exceeded");
		assertThat(get("/actuator/geredis")).hasStatusOk()
			.bodyText()
			.contains("QuoteController.quote(String)", "PriceImport.run()", "Prices.find(String)");
	}

	@Test
	void sixthLoginInMinuteIsRefused() {
		for (int i = 0; i < 5; i++) {
			assertThat(login()).hasStatus(HttpStatus.NOT_FOUND);
		}
		assertThat(login()).hasStatus(HttpStatus.TOO_MANY_REQUESTS);
	}

	@Test
	void priceIsCached() {
		String first = body(get("/prices/BTC"));
		assertThat(body(get("/prices/BTC"))).isEqualTo(first);
		assertThat(body(get("/prices/ETH"))).isNotEqualTo(first);
	}

	@Test
	void paymentIsMadeOncePerKey() {
		String first = body(pay("4711"));
		MvcTestResult second = pay("4711");
		assertThat(body(second)).isEqualTo(first);
		assertThat(second).hasHeader("Idempotent-Replayed", "true");
		assertThat(body(pay("4712"))).isNotEqualTo(first);
		assertThat(pay("")).hasStatus(HttpStatus.BAD_REQUEST);
	}

	@Test
	void importRunsOnceOnAllInstancesWithinFiveSeconds(CapturedOutput output) {
		int before = imports(output);
		this.priceImport.run();
		this.priceImport.run();
		assertThat(imports(output) - before).isLessThanOrEqualTo(1);
		assertThat(get("/actuator/geredis")).bodyText().contains("price-import");
	}

	private MvcTestResult get(String path) {
		return this.mvc.get().uri(path).exchange();
	}

	private MvcTestResult pay(String key) {
		return this.mvc.post().uri("/payments").headers((headers) -> {
			if (!key.isEmpty()) {
				headers.set("Idempotency-Key", key);
			}
		}).contentType(MediaType.APPLICATION_JSON).content("{\"to\": \"bob\", \"cents\": 1050}").exchange();
	}

	private MvcTestResult login() {
		return this.mvc.post().uri("/login").exchange();
	}

	private static int imports(CapturedOutput output) {
		return output.getAll().split("Importing prices", -1).length;
	}

	private static String body(MvcTestResult result) {
		assertThat(result).hasStatusOk();
		return new String(result.getResponse().getContentAsByteArray(), StandardCharsets.UTF_8);
	}

	/**
	 * The first yml of the README.
	 */
	static class ReadmeSettings implements ApplicationContextInitializer<ConfigurableApplicationContext> {

		@Override
		public void initialize(ConfigurableApplicationContext context) {
			PageSettings.of("README").initialize(context);
		}

	}

	/**
	 * Spring Security is on the class path of the tests only.
	 */
	@TestConfiguration(proxyBeanMethods = false)
	static class Open {

		@Bean
		SecurityFilterChain open(HttpSecurity http) {
			return http.csrf((csrf) -> csrf.disable())
				.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.build();
		}

	}

}
