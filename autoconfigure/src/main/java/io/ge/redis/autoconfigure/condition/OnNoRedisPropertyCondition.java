// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure.condition;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if no property has the address of Redis. A property without a value counts as
 * set: a deployment that forgot to fill it must fail. Ahead of time it is unknown where
 * an application will run, so an embedded server must be enabled explicitly.
 */
public class OnNoRedisPropertyCondition extends SpringBootCondition {

	public static final String ENABLED = "ge.redis.embedded.enabled";

	private static final List<ConfigurationPropertyName> LOCATIONS = List.of(
			ConfigurationPropertyName.of("spring.data.redis.host"),
			ConfigurationPropertyName.of("spring.data.redis.port"),
			ConfigurationPropertyName.of("spring.data.redis.url"),
			ConfigurationPropertyName.of("spring.data.redis.sentinel"),
			ConfigurationPropertyName.of("spring.data.redis.cluster"),
			ConfigurationPropertyName.of("spring.data.redis.masterreplica"));

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		ConditionMessage.Builder message = ConditionMessage.forCondition("No Redis configured");
		if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)
				&& !context.getEnvironment().getProperty(ENABLED, Boolean.class, false)) {
			return ConditionOutcome.noMatch(message
				.because("where Redis is shows when the application runs, unless " + ENABLED + " is set to true"));
		}
		ConfigurationPropertyName location = findLocation(context.getEnvironment());
		return (location != null) ? ConditionOutcome.noMatch(message.found("property").items(location))
				: ConditionOutcome.match(message.because("no property says where Redis is"));
	}

	public static @Nullable ConfigurationPropertyName findLocation(Environment environment) {
		for (ConfigurationPropertySource source : ConfigurationPropertySources
			.from(((ConfigurableEnvironment) environment).getPropertySources())) {
			for (ConfigurationPropertyName location : LOCATIONS) {
				if (isSet(source, location)) {
					return location;
				}
			}
		}
		return null;
	}

	private static boolean isSet(ConfigurationPropertySource source, ConfigurationPropertyName location) {
		return source.getConfigurationProperty(location) != null
				|| source.containsDescendantOf(location) == ConfigurationPropertyState.PRESENT;
	}

}
