/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.connection;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import org.jspecify.annotations.Nullable;

/**
 * The application's resources with a short delay between two attempts to reach a node.
 * <p>
 * A view, not one of the driver's copies: those complain in the log unless they are shut
 * down, and shutting one down would take the threads from the application. A proxy, since
 * the interface has other methods in each generation of the driver.
 */
final class ShortDelayResources implements InvocationHandler {

	private static final Delay DELAY = Delay.constant(Duration.ofMillis(250));

	private final ClientResources resources;

	private ShortDelayResources(ClientResources resources) {
		this.resources = resources;
	}

	static ClientResources of(ClientResources resources) {
		return (ClientResources) Proxy.newProxyInstance(ClientResources.class.getClassLoader(),
				new Class<?>[] { ClientResources.class }, new ShortDelayResources(resources));
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
			throws Throwable {
		if (method.getName().equals("reconnectDelay")) {
			return DELAY;
		}
		try {
			return method.invoke(this.resources, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

}
