// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.util.concurrent.TimeUnit;

import io.ge.redis.idempotency.Idempotent;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * {@link IdempotencyKeyDraftWebContract} on MVC.
 */
class IdempotencyKeyDraftMvcIntegrationTests extends IdempotencyKeyDraftWebContract {

	@Override
	WebApplicationType type() {
		return WebApplicationType.SERVLET;
	}

	@Override
	Class<?> configuration() {
		return Configured.class;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Sales.class, SaleController.class })
	static class Configured {

		@Bean
		UserDetailsService inMemory() {
			// The manager itself would replace a plain password by a costly one at the
			// first login
			return new InMemoryUserDetailsManager(users())::loadUserByUsername;
		}

		@Bean
		SecurityFilterChain everybodyMay(HttpSecurity http) {
			return http.csrf(AbstractHttpConfigurer::disable)
				.httpBasic(Customizer.withDefaults())
				.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.build();
		}

	}

	/**
	 * The resources.
	 */
	@RestController
	static class SaleController {

		private final Sales sales;

		SaleController(Sales sales) {
			this.sales = sales;
		}

		@PostMapping("/sales")
		@Idempotent
		public ResponseEntity<Sale> sell(@RequestBody Order order) {
			return this.sales.add(order);
		}

		@PostMapping("/refused-sales")
		@Idempotent
		public ResponseEntity<Sale> refuse(@RequestBody Order order) {
			return this.sales.refuse(order);
		}

		@PostMapping("/slow-sales")
		@Idempotent
		public ResponseEntity<Sale> sellSlowly(@RequestBody Order order) throws Exception {
			this.sales.process().get(30, TimeUnit.SECONDS);
			return this.sales.add(order);
		}

	}

}
