// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;

/**
 * The console, in the context that serves the endpoints: the application's, or the one of
 * the management port.
 */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty("ge.redis.console.enabled")
@ConditionalOnBooleanProperty(name = "ge.redis.enabled", matchIfMissing = true)
@ConditionalOnAvailableEndpoint(endpoint = GeRedisEndpoint.class, exposure = EndpointExposure.WEB)
@Import({ ServletConsoleConfiguration.class, ReactiveConsoleConfiguration.class })
@ImportRuntimeHints(ConsolePage.Hints.class)
final class GeRedisConsoleConfiguration {

	/** Before the handlers of the endpoints, which have -100. */
	static final int ORDER = -101;

	@Bean
	ConsolePage geRedisConsolePage(PathMappedEndpoints endpoints, EndpointAccessResolver access,
			Environment environment) {
		return new ConsolePage(endpoints, access, environment.getProperty("ge.redis.console.docs", ""));
	}

}
