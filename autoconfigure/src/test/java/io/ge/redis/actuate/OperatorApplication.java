// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisWebAutoConfiguration;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.actuate.web.ServletManagementContextAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;

/**
 * An application with the endpoint and one pattern. All of Boot's auto-configurations
 * would take a second each time.
 */
final class OperatorApplication {

	private static final AutoConfigurations ENDPOINT = AutoConfigurations.of(JacksonAutoConfiguration.class,
			HttpMessageConvertersAutoConfiguration.class, DispatcherServletAutoConfiguration.class,
			WebMvcAutoConfiguration.class, EndpointAutoConfiguration.class, JacksonEndpointAutoConfiguration.class,
			WebEndpointAutoConfiguration.class, ManagementContextAutoConfiguration.class,
			ServletManagementContextAutoConfiguration.class, DataRedisAutoConfiguration.class,
			GeRedisAutoConfiguration.class, GeRedisEndpointAutoConfiguration.class, GeRedisWebAutoConfiguration.class);

	private static final AutoConfigurations DATABASE = AutoConfigurations.of(DataSourceAutoConfiguration.class,
			DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
			TransactionAutoConfiguration.class);

	private OperatorApplication() {
	}

	static WebApplicationContextRunner with(Class<?>... patterns) {
		return new WebApplicationContextRunner().withConfiguration(ENDPOINT)
			.withConfiguration(AutoConfigurations.of(patterns))
			.withPropertyValues("management.endpoints.web.exposure.include=geredis");
	}

	static WebApplicationContextRunner withDatabase(Class<?>... patterns) {
		return with(patterns).withConfiguration(DATABASE);
	}

}
