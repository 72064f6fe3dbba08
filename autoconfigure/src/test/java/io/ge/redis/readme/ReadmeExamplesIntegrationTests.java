/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.readme;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.test.SharedRedis;
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
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.junit.jupiter.SpringExtension;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The README's code does what the README says.
 */
@ExtendWith(SpringExtension.class)
@DirtiesContext
@SpringBootTest(properties = { "ge.redis.rate-limit.limits.tasks.limit=10",
		"ge.redis.rate-limit.limits.tasks.window=1m", "spring.datasource.url=jdbc:h2:mem:readme" })
@AutoConfigureMockMvc
class ReadmeExamplesIntegrationTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private AgentRunner runner;

	@Autowired
	private Wallets wallets;

	@Autowired
	private TokenBlacklist blacklist;

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
	void eleventhTaskInMinuteIsRefused() {
		for (int i = 0; i < 10; i++) {
			assertThat(submit()).hasStatusOk();
		}
		MvcTestResult refused = submit();
		assertThat(refused).hasStatus(HttpStatus.TOO_MANY_REQUESTS)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
			.hasHeader("RateLimit-Policy", "\"tasks\";q=10;w=60");
		assertThat(refused).headers().containsHeaders("RateLimit", "Retry-After");
		assertThat(refused).bodyJson()
			.extractingPath("$.type")
			.isEqualTo("https://iana.org/assignments/http-problem-types#quota-exceeded");
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

	@Test
	void balanceIsReadOnceAndWrittenThrough() {
		this.wallets.balance("w-1");
		this.wallets.balance("w-1");
		assertThat(this.wallets.reads()).isEqualTo(1);
		this.wallets.deposit("w-1", BigDecimal.TEN);
		assertThat(this.wallets.balance("w-1").amount()).isEqualByComparingTo("10");
		assertThat(this.wallets.reads()).isEqualTo(1);
	}

	@Test
	void revokedTokenIsRefused() {
		assertThat(me()).hasStatusOk().hasBodyTextEqualTo("anna");
		this.blacklist.revoke("https://issuer.example", "t-1", Instant.now().plusSeconds(60));
		assertThat(me()).hasStatus(HttpStatus.UNAUTHORIZED);
	}

	private MvcTestResult submit() {
		return this.mvc.post()
			.uri("/api/agents/a-1/tasks")
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"work\":\"quote\"}")
			.exchange();
	}

	private MvcTestResult sell() {
		return this.mvc.post()
			.uri("/api/positions/p-1/sell")
			.header("Idempotency-Key", "\"key-1\"")
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"quantity\":3}")
			.exchange();
	}

	private MvcTestResult me() {
		return this.mvc.get().uri("/api/me").header("Authorization", "Bearer token").exchange();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ TaskController.class, AgentRunner.class, SaleController.class, Wallets.class, AccountController.class })
	static class Application {

		@Bean
		SecurityFilterChain open(HttpSecurity http) {
			return http.csrf((csrf) -> csrf.disable())
				.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.oauth2ResourceServer((server) -> server.jwt(Customizer.withDefaults()))
				.build();
		}

		@Bean
		JwtDecoder decoder() {
			return Decoder::jwt;
		}

	}

	/**
	 * Knows one token.
	 */
	private static final class Decoder {

		private static final Instant NOW = Instant.now();

		static Jwt jwt(String token) {
			return new Jwt(token, NOW, NOW.plusSeconds(60), Map.of("alg", "none"),
					Map.of("sub", "anna", "jti", "t-1", "iss", "https://issuer.example"));
		}

	}

}
