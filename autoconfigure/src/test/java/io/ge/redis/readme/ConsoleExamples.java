// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.CsrfConfigurer;
import org.springframework.security.web.SecurityFilterChain;

@Configuration(proxyBeanMethods = false)
public class ConsoleExamples {

	@Bean
	SecurityFilterChain actuator(HttpSecurity http) throws Exception {
		return http.securityMatcher(EndpointRequest.toAnyEndpoint())
			.authorizeHttpRequests((requests) -> requests.anyRequest().hasRole("OPERATOR"))
			.httpBasic(Customizer.withDefaults())
			.csrf(CsrfConfigurer::spa)
			.build();
	}

}
