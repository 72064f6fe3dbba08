/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure.startup;

import java.time.Duration;

import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.GuardConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Refuses durations without a unit below {@code ge.redis}, which Spring Boot would take
 * for milliseconds.
 */
public class DurationUnitCheck implements ConfigurationPropertiesBindHandlerAdvisor {

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("ge.redis");

	@Override
	public BindHandler apply(BindHandler handler) {
		return new AbstractBindHandler(handler) {

			@Override
			public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Object result) {
				if (result instanceof Duration && PREFIX.isAncestorOf(name)) {
					// Once more, as text in which placeholders are resolved
					context.getBinder().bind(name, Bindable.of(String.class)).ifBound((text) -> check(name, text));
				}
				return super.onSuccess(name, target, context, result);
			}

		};
	}

	private static void check(ConfigurationPropertyName name, String text) {
		if (AttributeReader.lacksUnit(text)) {
			throw new GuardConfigurationException(name.toString(), "\"" + text + "\" has no unit.",
					AttributeReader.unitRemedy(text));
		}
	}

}
