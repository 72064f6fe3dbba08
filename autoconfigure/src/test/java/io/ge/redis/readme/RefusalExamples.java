// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import io.ge.redis.web.RefusalCustomizer;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The code about refusals of the page on calling styles.
 */
@Configuration(proxyBeanMethods = false)
public class RefusalExamples {

	// @formatter:off
	@Bean
	RefusalCustomizer documentation() {
		return (exception, refusal) -> refusal.withMember("see", "https://shop.example.org/errors");
	}
	// @formatter:on

}
