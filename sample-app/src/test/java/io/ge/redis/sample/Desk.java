// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.util.ArrayList;
import java.util.List;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * An instance of the desk in this JVM.
 */
final class Desk extends DeskClient implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	private Desk(ConfigurableApplicationContext context) {
		super(context.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
		this.context = context;
	}

	/**
	 * Starts an instance as its users would, on a free port.
	 * @param properties as on the command line, without dashes
	 */
	static Desk start(List<String> properties) {
		return new Desk(new SpringApplicationBuilder(SampleApplication.class).main(SampleApplication.class)
			.run(arguments(properties)));
	}

	static String[] arguments(List<String> properties) {
		List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--server.address=127.0.0.1",
				"--spring.main.banner-mode=off", "--logging.level.root=warn"));
		properties.forEach((property) -> arguments.add("--" + property));
		return arguments.toArray(String[]::new);
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	@Override
	public void close() {
		this.context.close();
	}

}
