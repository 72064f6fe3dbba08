// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.reactive.function.server.support.RouterFunctionMapping;

/**
 * The console on WebFlux. Its mapping is not for injection elsewhere.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass({ DispatcherHandler.class, Mono.class })
final class ReactiveConsoleConfiguration {

	@Bean(defaultCandidate = false)
	RouterFunctionMapping geRedisConsoleMapping(ConsolePage page) {
		RouterFunctionMapping mapping = new RouterFunctionMapping(RouterFunctions.route()
			.route(RequestPredicates.methods(HttpMethod.GET, HttpMethod.HEAD).and(RequestPredicates.path(page.path())),
					(request) -> ServerResponse.ok()
						.headers((headers) -> page.headers().forEach(headers::set))
						.bodyValue(page.html()))
			.build());
		mapping.setOrder(GeRedisConsoleConfiguration.ORDER);
		return mapping;
	}

}
