// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.auth;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.authentication.dao.DaoAuthenticationProvider;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/**
 * An ordinary resource server: nothing in here knows about Redis. That a revoked token is
 * refused comes from the validator of {@link JwtConfiguration}.
 */
@Configuration(proxyBeanMethods = false)
class SecurityConfiguration {

	@Bean
	SecurityFilterChain securityFilterChain(HttpSecurity http) {
		return http
			.authorizeHttpRequests((requests) -> requests.requestMatchers("/api/me", "/api/auth/logout*")
				.authenticated()
				.anyRequest()
				.permitAll())
			.oauth2ResourceServer((server) -> server.jwt(Customizer.withDefaults()))
			.sessionManagement((sessions) -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
			.csrf(AbstractHttpConfigurer::disable)
			.build();
	}

	/**
	 * Two users for trying things out. {@code noop} means a password in plain text, which
	 * is for samples only.
	 */
	@Bean
	AuthenticationManager authenticationManager() {
		return new ProviderManager(
				new DaoAuthenticationProvider(new InMemoryUserDetailsManager(user("anna"), user("boris"))));
	}

	private static UserDetails user(String name) {
		return User.withUsername(name).password("{noop}demo").build();
	}

}
