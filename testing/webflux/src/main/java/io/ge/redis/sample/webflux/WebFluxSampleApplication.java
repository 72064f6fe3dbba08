// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.webflux;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * The sample in its reactive flavour.
 */
@SpringBootApplication
public class WebFluxSampleApplication {

	public static void main(String[] args) {
		SpringApplication.run(WebFluxSampleApplication.class, args);
	}

}
