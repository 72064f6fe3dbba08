// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.lang.management.ManagementFactory;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * An application that starts, prints how old its JVM is then, and ends. The classes that
 * are named as arguments are its beans. With {@value #CONNECTS} set it sends a first
 * command by Spring Data before it is ready.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
final class StartUpApplication {

	/** Precedes the milliseconds. */
	static final String STARTED = "started after ";

	/** A system property. */
	static final String CONNECTS = "connects";

	private StartUpApplication() {
	}

	/**
	 * Starts the application.
	 * @param beans names of classes
	 * @throws ClassNotFoundException if there is no such class
	 */
	public static void main(String[] beans) throws ClassNotFoundException {
		SpringApplicationBuilder application = new SpringApplicationBuilder(StartUpApplication.class);
		for (String bean : beans) {
			application.sources(Class.forName(bean));
		}
		try (ConfigurableApplicationContext context = application.web(WebApplicationType.NONE).run()) {
			if (Boolean.getBoolean(CONNECTS)) {
				context.getBean(StringRedisTemplate.class).hasKey("first");
			}
			System.out.println(STARTED + ManagementFactory.getRuntimeMXBean().getUptime());
		}
	}

}
