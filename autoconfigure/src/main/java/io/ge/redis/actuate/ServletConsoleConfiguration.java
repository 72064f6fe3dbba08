// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.function.RequestPredicates;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;

/**
 * The console on Spring MVC. Its mapping is not for injection elsewhere.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
final class ServletConsoleConfiguration {

	@Bean(defaultCandidate = false)
	RouterFunctionMapping geRedisConsoleMapping(ConsolePage page) {
		RouterFunctionMapping mapping = new RouterFunctionMapping(RouterFunctions.route()
			.route(RequestPredicates.methods(HttpMethod.GET, HttpMethod.HEAD).and(RequestPredicates.path(page.path())),
					(request) -> ServerResponse.ok()
						.headers((headers) -> page.headers().forEach(headers::set))
						.body(page.html()))
			.build());
		mapping.setOrder(GeRedisConsoleConfiguration.ORDER);
		return mapping;
	}

}
