// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.util.Set;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.Times;
import io.ge.redis.core.outage.OutagePolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * Refuses values below {@code ge.redis} that Spring Boot would take: durations without a
 * unit, which would be milliseconds, durations that are too long, and outage policies
 * that the pattern does not have.
 */
class PropertyValueCheck implements ConfigurationPropertiesBindHandlerAdvisor {

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("ge.redis");

	/** Patterns that instances cannot enforce each on its own. */
	private static final Set<String> WITHOUT_LOCAL = Set.of("lock", "idempotency");

	@Override
	public BindHandler apply(BindHandler handler) {
		return new AbstractBindHandler(handler) {

			@Override
			public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Object result) {
				if (result instanceof Duration duration && PREFIX.isAncestorOf(name)) {
					if (Times.isTooLong(duration)) {
						throw new GuardConfigurationException(name.toString(), duration + " is too long.",
								Times.REMEDY);
					}
					// Once more, as text in which placeholders are resolved
					context.getBinder().bind(name, Bindable.of(String.class)).ifBound((text) -> check(name, text));
				}
				else if (result == OutagePolicy.DEFAULT || (result == OutagePolicy.LOCAL && isWithoutLocal(name))) {
					throw noPolicy(name, result);
				}
				return super.onSuccess(name, target, context, result);
			}

			@Override
			public @Nullable Object onFailure(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Exception error) throws Exception {
				// Spring Boot would offer DEFAULT
				if (target.getType().toClass() == OutagePolicy.class && context.getConfigurationProperty() != null
						&& !(error instanceof GuardConfigurationException)) {
					throw noPolicy(name, context.getConfigurationProperty().getValue());
				}
				return super.onFailure(name, target, context, error);
			}

		};
	}

	private static void check(ConfigurationPropertyName name, String text) {
		if (AttributeReader.lacksUnit(text)) {
			throw new GuardConfigurationException(name.toString(), "\"" + text + "\" has no unit.",
					AttributeReader.unitRemedy(text));
		}
	}

	private static boolean isWithoutLocal(ConfigurationPropertyName name) {
		return PREFIX.isAncestorOf(name) && WITHOUT_LOCAL.contains(name.getElement(2, Form.UNIFORM));
	}

	private static GuardConfigurationException noPolicy(ConfigurationPropertyName name, Object value) {
		return new GuardConfigurationException(name.toString(), "\"" + value + "\" is no outage policy here.", "Write "
				+ (isWithoutLocal(name) ? "deny or allow" : "deny, allow or local") + ", or remove the property.");
	}

}
